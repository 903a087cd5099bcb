import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './home.js';

/** A program that stands where the person's browser would, and writes down what it was opened with. */
export interface FakeBrowser {
  /** Absolute path of the executable: the value for `BROWSER`. */
  readonly path: string;
  /** The URL of the last opening, as soon as there is one (at most 60 s). */
  opened(): Promise<string>;
  /** Makes the next `opened` wait for the next opening. */
  forget(): Promise<void>;
  /** The arguments (`argument …`) and the environment of every opening; '' when there was none. */
  record(): Promise<string>;
}

/** Writes the executable into `home`. It notes its arguments and its whole environment, then ends. */
export async function fakeBrowser(home: Pick<Home, 'path'>): Promise<FakeBrowser> {
  const path = join(home.path, 'fake-browser');
  const notes = join(home.path, 'fake-browser.notes');
  const done = join(home.path, 'fake-browser.done');
  const note = `{ printf 'argument %s\\n' "$@"; env; } >> '${notes}'`;
  await writeFile(path, `#!/bin/sh\n${note}\n: >> '${done}'\n`, { mode: 0o755 });
  const record = (): Promise<string> => readFile(notes, 'utf8').catch(() => '');
  const wasOpened = (): Promise<boolean> =>
    readFile(done).then(
      () => true,
      () => false,
    );
  return {
    path,
    record,
    forget: () => rm(done, { force: true }),
    opened: async () => {
      const watcher = watch(home.path);
      try {
        const signal = AbortSignal.timeout(60_000);
        for (;;) {
          // Listened for before the look, so that an opening in between is not missed.
          const changed = once(watcher, 'change', { signal });
          changed.catch(() => undefined);
          if (await wasOpened()) break;
          await changed;
        }
      } finally {
        watcher.close();
      }
      const url = [...(await record()).matchAll(/^argument (\S+)$/gm)].at(-1)?.[1];
      if (url === undefined) throw new Error('the browser was opened without a URL');
      return url;
    },
  };
}
