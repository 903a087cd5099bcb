import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineOpener } from '../../../src/app/network.js';
import type { SharedEngine } from '../../../src/fleet/engine/redis.js';
import { createHttpClient } from '../../../src/http/client.js';
import { createClock } from '../../../src/stores/clock.js';
import type { EngineUser } from '../../support/engines.js';
import { defaultLimits } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

/** As the program opens it: with a file of credentials, an authority that is trusted, and limits of 2 s or as given. */
export async function openAs(
  address: string,
  options: { readonly user?: EngineUser; readonly caFile?: string; readonly storeSeconds?: number } = {},
): Promise<SharedEngine> {
  const folder = await temporaryFolder();
  const { user, caFile, storeSeconds = 2 } = options;
  const limits = { ...defaultLimits, connectSeconds: 2, storeSeconds };
  const file = join(folder.path, 'engine');
  if (user !== undefined) await writeFile(file, `${user.name}:${user.password}\n`, { mode: 0o600 });
  const env = user === undefined ? {} : { POSTERN_ENGINE_CREDENTIALS_FILE: file };
  const ca = caFile === undefined ? {} : { caFile };
  const http = createHttpClient({ env, userAgent: 'test', limits, ...ca });
  const settings = async () => ({ limits, ...ca });
  const engine = await engineOpener({ clock: createClock(), env, settings })(address);
  return {
    label: engine.label,
    read: (...given) => engine.read(...given),
    commit: (...given) => engine.commit(...given),
    list: (...given) => engine.list(...given),
    durability: (...given) => engine.durability(...given),
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      await http[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const texts = (entries: readonly ({ readonly value: Uint8Array } | undefined)[]) =>
  entries.map((entry) => entry && Buffer.from(entry.value).toString());

/** Never aborted. */
export const always = new AbortController().signal;
setMaxListeners(0, always);
