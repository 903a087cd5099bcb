import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineEntry, SharedEngine } from '../../../src/stores/engines/engine.js';
import type { Stretch } from '../../../src/stores/sealed-files/sealed-file.js';
import { saltsBelow } from '../../../src/stores/shared/items.js';
import { createSharedStore } from '../../../src/stores/shared/shared-store.js';
import { Failure, Secret, type Terminal } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { typing } from '../sealed-files/file-store-session.js';
import { realClock } from '../state/real-clock.js';
export const readers = 'a long passphrase é';
export const refreshers = 'another long passphrase';
export const key = 'a'.repeat(64);
export const name = saltsBelow('postern/default/access/');

/** The real one is slow, which is what it is for: the tests of salts have it, and those of the whole program. */
export const quickly: Stretch = async (bytes, salt) => Buffer.from(hkdfSync('sha256', bytes, salt, '', 32));

export const credential = JSON.stringify({
  ...{ binding: { key }, accessToken: 'the-access-token', refreshToken: 'the-refresh-token' },
  ...{ generation: 1, obtainedAt: Date.now(), expiresAt: Date.now() + 600_000, scopes: [] },
});

/** A fleet's first login, made once: what the engine has then, and the folder of the machine that made it. */
export const begun = (async () => {
  await using at = await session();
  const store = await at.machine(0, typing(readers, readers, refreshers, refreshers));
  await store.ready?.();
  await store.write(key, new Secret(credential));
  const shared = join(at.folder, 'machine-0', 'shared');
  const names = (await readdir(shared)).filter((one) => one.endsWith('.salts'));
  const files = await Promise.all(
    names.map(async (one) => {
      const path = join(shared, one);
      return { one, bytes: await readFile(path), mode: (await stat(path)).mode };
    }),
  );
  return { entries: [...at.entries], files, writes: at.state.writes };
})();

/** An engine in memory, and machines beside it, each with a folder of its own. */
export async function session() {
  const folder = await temporaryFolder();
  const entries = new Map<string, EngineEntry>();
  const state = { isAway: false, writes: 0, beforeCommit: () => undefined as unknown };
  const look = () => {
    if (state.isAway) throw new Failure({ code: 'store_unavailable', exit: 7, message: 'It is away.', remedy: '' });
  };
  const engine: SharedEngine = {
    label: 'the engine',
    read: async (names) => {
      look();
      return names.map((one) => entries.get(one));
    },
    commit: async ({ onlyIf, puts, removes }) => {
      look();
      await state.beforeCommit();
      if (!onlyIf.every((one) => entries.get(one.key)?.revision === one.revision)) return { outcome: 'conflict' };
      for (const one of removes) entries.delete(one);
      state.writes += 1;
      const revision = String(state.writes);
      for (const one of puts) entries.set(one.key, { value: one.value, revision });
      return { outcome: 'committed', revisions: puts.map(() => revision) };
    },
    list: async (prefix) => {
      look();
      return [...entries.keys()].filter((one) => one.startsWith(prefix));
    },
    durability: async () => [],
    [Symbol.asyncDispose]: async () => undefined,
  };
  const machine = async (number: number, terminal: Terminal, more: { isReadOnly?: boolean; files?: string[] } = {}) => {
    const { isReadOnly = false, files = [] } = more;
    const stateFolder = join(folder.path, `machine-${number}`);
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    const variables = ['POSTERN_STORE_KEY_FILE', 'POSTERN_STORE_REFRESH_KEY_FILE'];
    const env = Object.fromEntries(variables.map((one, at) => [one, files[at] ?? '']));
    const { signal } = new AbortController();
    return createSharedStore({
      ...{ kind: 'redis:redis://127.0.0.1:6379', engine, env, clock: realClock, signal, terminal, stateFolder },
      ...{ isReadOnly, leaseMs: 5_000, stretch: quickly },
    });
  };
  const keyFile = async (file: string) => {
    const path = join(folder.path, file);
    await writeFile(path, randomBytes(32), { mode: 0o600 });
    return path;
  };
  const begin = async () => {
    const made = await begun;
    for (const [one, entry] of made.entries) entries.set(one, entry);
    state.writes += made.writes;
    const shared = join(folder.path, 'machine-0', 'shared');
    await mkdir(shared, { recursive: true, mode: 0o700 });
    for (const { one, bytes } of made.files) await writeFile(join(shared, one), bytes, { mode: 0o600 });
  };
  return {
    ...{ folder: folder.path, entries, state, machine, keyFile, begin },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
