import { entryOptions, loadNative, type Native, service } from './native.js';
import { isHead } from './parts-head.js';
import { probeSecretService } from './probe.js';

export type FastRead =
  | { readonly ok: true; readonly value: string }
  /** Nothing was read; the careful way finds out why and tells the person. */
  | { readonly ok: false; readonly why: string };

const probeLimitMs = 1000;

/**
 * The item `key`, if it can be had at once: the keychain is open and answers, the item is there, in one piece. For
 * `postern token` alone; it loads next to nothing. Never rejects.
 */
export async function readSecretFast(
  key: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FastRead> {
  if (process.platform !== 'linux') {
    return { ok: false, why: 'no probe for this platform' };
  }
  let native: Native | undefined;
  try {
    const health = await probeSecretService(env, probeLimitMs, () => {
      native = tryLoad();
    });
    if (health !== 'healthy' || native === undefined) {
      return { ok: false, why: health };
    }
    const value = new native.Entry(service, key, entryOptions).getPassword();
    return typeof value === 'string' && !isHead(value)
      ? { ok: true, value }
      : { ok: false, why: typeof value === 'string' ? 'in parts' : 'absent' };
  } catch {
    return { ok: false, why: 'failed' };
  }
}

function tryLoad(): Native | undefined {
  try {
    return loadNative();
  } catch {
    return undefined;
  }
}
