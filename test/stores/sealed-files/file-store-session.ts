import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileStore } from '../../../src/stores/sealed-files/file-store.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import type { Terminal } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from '../state/real-clock.js';

/** A key of a store, made from a word. */
export const keyOf = (word: string): string => createHash('sha256').update(word).digest('hex');

/** A state folder with a key file beside it, and stores over it, each as a process of its own would have it. */
export async function fileStoreSession() {
  const folder = await temporaryFolder();
  const stateFolder = join(folder.path, 'state');
  await mkdir(stateFolder, { mode: 0o700 });
  const keyFile = join(folder.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const locks = createLocks({ directory: join(stateFolder, 'locks'), clock: realClock });
  const { signal } = new AbortController();
  const open = (env: Readonly<Record<string, string>>, terminal = nobody) =>
    new FileStore({ env, terminal, stateFolder, locks, signal });
  return {
    folder: folder.path,
    stateFolder,
    keyFile,
    sealed: join(stateFolder, 'sealed'),
    pathOf: (word: string) => join(stateFolder, 'sealed', `${keyOf(word)}.sealed`),
    open,
    /** With the key file. */
    store: () => open({ POSTERN_STORE_KEY_FILE: keyFile }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** No terminal: whoever asks all the same makes the test fail. */
export const nobody: Terminal = {
  interactive: false,
  tell: () => undefined,
  ask: () => Promise.reject(new Error('asked without a terminal')),
  choose: () => Promise.reject(new Error('asked without a terminal')),
  listen: () => ({ [Symbol.dispose]: () => undefined }),
  event: () => undefined,
};

/** A person who types these lines, then nothing more. */
export function typing(...lines: string[]): Terminal & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    asked,
    interactive: true,
    tell: () => undefined,
    ask: (question, { hidden }) => {
      asked.push(`${question}${hidden ? '' : ' (shown)'}`);
      return Promise.resolve(lines.shift());
    },
    choose: () => Promise.reject(new Error('nothing to choose')),
    listen: () => ({ [Symbol.dispose]: () => undefined }),
    event: () => undefined,
  };
}
