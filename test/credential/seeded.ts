import { type Home, makeHome } from '../support/home.js';
import { type Keyring, startKeyring } from '../support/keyring.js';
import { type Finished, runProgram } from '../support/program.js';
import { type StoredLogin, storeLogin } from '../support/stored-login.js';

/** A home whose keychain holds logins, and `postern credential` in it. */
export interface Seeded extends AsyncDisposable {
  readonly keyring: Keyring;
  readonly home: Home;
  /** `postern credential` with these words; `input` is the whole of stdin. */
  ask(words: readonly string[], given?: Given): Promise<Finished>;
}

export interface Given {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Not the short way. */
  readonly whole?: boolean;
}

export async function seed(...logins: readonly StoredLogin[]): Promise<Seeded> {
  const keyring = await startKeyring();
  const home = await makeHome(keyring.env);
  for (const login of logins) await storeLogin(home, login);
  return {
    keyring,
    home,
    ask: (words, { input = '', env = {}, whole = false } = {}) =>
      runProgram(
        { ...home, env: { ...home.env, ...env } },
        // This machine may have a lot to do; the limit has a test of its own.
        ['credential', ...words, '--timeout', '60', ...(whole ? ['--verbose'] : [])],
        input,
      ),
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await keyring[Symbol.asyncDispose]();
    },
  };
}

export const server = 'https://mcp.example/mcp';
export const token = 'tok.en-~+/=';

/** The login that most tests ask for. It ends at a whole second, an hour from now. */
export function work(change: Partial<StoredLogin> = {}): StoredLogin {
  const expiresAt = (Math.floor(Date.now() / 1000) + 3600) * 1000;
  return { server, name: 'work', accessToken: token, expiresAt, ...change };
}

/** What git writes to a helper's stdin. */
export function gitInput(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`;
}
