import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { newKeyText } from '../../../src/proxy/admit.js';
import { digestOf, keepService, newProof, type ServiceRecord } from '../../../src/proxy/service/record.js';
import { temporaryFolder } from '../../support/temporary.js';

export const aRecord: ServiceRecord = {
  version: 1,
  id: 'work-0123abcd',
  server: 'https://example.com/mcp',
  account: 'default',
  mount: 'm',
  port: 17_300,
  manager: 'systemd',
  files: [],
  hosts: [],
  proof: newProof(),
  options: { timeout: 600, silence: null, grace: 10, allowTool: [], denyTool: [], readOnly: false },
};

/** A folder with the record of one service, whose hosts a test changes. */
export async function recordFolder(...names: readonly string[]) {
  const temporary = await temporaryFolder();
  await chmod(temporary.path, 0o700);
  const folder = join(temporary.path, 'services');
  const keys = Object.fromEntries(names.map((name) => [name, newKeyText()]));
  const hostsOf = (kept: readonly string[]) =>
    kept.map((name) => ({ name, digest: digestOf(keys[name] ?? ''), madeAt: 0 }));
  const keep = (...kept: readonly string[]) => keepService(folder, { ...aRecord, hosts: hostsOf(kept) });
  await keep(...names);
  return {
    folder,
    /** The key of a host. */
    key: (name: string) => keys[name] ?? '',
    keep,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}
