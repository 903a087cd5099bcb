import { lookup } from 'node:dns/promises';

/** Every address that the operating system knows for a host name (hosts file and DNS), in its order. */
export async function systemResolver(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}
