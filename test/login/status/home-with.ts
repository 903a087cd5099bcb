import { statePaths } from '../../../src/stores/paths.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import { realClock } from '../../stores/state/real-clock.js';
import { type Home, makeHomeWithKey } from '../../support/home.js';
import {
  type CredentialIndex,
  createCredentialIndex,
  type IndexDocument,
  type LoginRecord,
} from '../../support/product.js';
import { type Finished, runProgram } from '../../support/program.js';
import { loginRecord } from './login-record.js';

/** A home whose index has these logins; no store has their secrets. */
export interface HomeWith extends AsyncDisposable {
  readonly home: Home;
  readonly index: CredentialIndex;
  run(...words: string[]): Promise<Finished>;
  /** The record of that name now. */
  named(name: string): Promise<LoginRecord | undefined>;
}

/** Each login gets a key of its own. */
export async function homeWith(...logins: readonly Readonly<Record<string, unknown>>[]): Promise<HomeWith> {
  const home = await makeHomeWithKey();
  const directory = statePaths(home.env, process.platform, home.path).state;
  const index = createCredentialIndex({
    directory,
    locks: createLocks({ directory: `${directory}/locks`, clock: realClock }),
  });
  const records = logins.map((changes, at) =>
    loginRecord({ key: String(at).padStart(64, '0'), store: 'file', expiresAt: Date.now() + 3_600_000, ...changes }),
  );
  await index.update((document): IndexDocument => ({ ...document, logins: records }));
  return {
    home,
    index,
    run: (...words) => runProgram(home, words),
    named: async (name) => (await index.read()).logins.find((login) => login.name === name),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
