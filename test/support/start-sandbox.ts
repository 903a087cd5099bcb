import { makeRsaKey } from '../../src/sandbox/authorization-server/keys.js';
import { type Sandbox, startSandbox as start } from '../../src/sandbox/start.js';
import type { SandboxOptions } from './product.js';

let rsaKey: ReturnType<typeof makeRsaKey> | undefined;

/** A sandbox like any other, but for its RSA key: the sandboxes of one process share one, since it takes long to make. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  rsaKey ??= makeRsaKey();
  return await start(options, await rsaKey);
}
