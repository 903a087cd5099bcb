import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface KeyringItem {
  /** The attribute `username`. */
  readonly account: string;
  readonly secret: string;
  /** Its label and every attribute, as `secret-tool search` prints them: what can be read while it is locked. */
  readonly shown: string;
}

const run = promisify(execFile);
const service = 'org.freedesktop.secrets';

/** One call of the Secret Service by `dbus-send`; empty when it fails. */
export async function callService(env: NodeJS.ProcessEnv, method: string, argument: string): Promise<string> {
  const target = ['/org/freedesktop/secrets', `org.freedesktop.Secret.Service.${method}`, argument];
  const args = ['--session', '--print-reply', '--reply-timeout=5000', `--dest=${service}`, ...target];
  return await run('dbus-send', args, { env }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

/** Locks the login keyring, as a desktop does when the person leaves. */
export async function lockLogin(env: NodeJS.ProcessEnv): Promise<void> {
  const login = '/org/freedesktop/secrets/collection/login';
  const locked = await callService(env, 'Lock', `array:objpath:${login}`);
  if (!locked.includes(login)) throw new Error('the keyring was not locked');
}

/** The secret of one item of service `postern`, by `secret-tool`. */
export async function lookupItem(env: NodeJS.ProcessEnv, account: string): Promise<string | undefined> {
  const args = ['lookup', 'service', 'postern', 'username', account];
  return await run('secret-tool', args, { env, maxBuffer: 16_777_216 }).then(
    ({ stdout }) => stdout,
    (error: { readonly stderr?: string }) => {
      if (error.stderr === '') return undefined; // no such item
      throw error;
    },
  );
}

/** Every item of service `postern`, by `secret-tool`. */
export async function keyringItems(env: NodeJS.ProcessEnv): Promise<KeyringItem[]> {
  // Attributes are printed on stderr, the rest on stdout; an account stands once for each item.
  const { stderr } = await run('secret-tool', ['search', '--all', 'service', 'postern'], { env });
  const accounts = [...stderr.matchAll(/^attribute\.username = (.*)$/gm)].map(([, account]) => account ?? '');
  return await Promise.all(
    accounts.map(async (account) => {
      const one = await run('secret-tool', ['search', 'service', 'postern', 'username', account], { env });
      const shown = `${one.stdout.replace(/^secret = .*$/m, '')}${one.stderr}`;
      return { account, secret: (await lookupItem(env, account)) ?? '', shown };
    }),
  );
}
