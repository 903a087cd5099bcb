import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request with exactly these header lines, which `fetch` would not send; Host is added unless given. */
export function sendRaw(
  url: string,
  lines: readonly (readonly [name: string, value: string])[],
  about: { readonly method?: string; readonly body?: string } = {},
): Promise<RawAnswer> {
  const { host } = new URL(url);
  const given = lines.some(([name]) => name === 'host') ? lines : [['host', host] as const, ...lines];
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: about.method ?? 'GET', setHost: false, agent: false, headers: given.flat() });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.end(about.body);
  });
}
