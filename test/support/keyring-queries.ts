import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { requestInChild } from '../../src/stores/keychain/native.js';

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

/**
 * A use of the keychain that a test makes itself, up to three times: gnome-keyring ends by itself, rarely, when the first
 * thing that a new client asks is OpenSession, as libsecret's clients do. It is started anew meanwhile, and has its
 * collections some time after that.
 */
async function persistently<T>(env: NodeJS.ProcessEnv, use: () => Promise<T>): Promise<T> {
  for (let uses = 1; ; uses += 1) {
    try {
      return await use();
    } catch (error) {
      if (uses === 3) throw error;
    }
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await callService(env, 'ReadAlias', 'string:default')).includes('/collection/')) break;
      await wait(50);
    }
  }
}

/** Puts an item of service `postern` there, as the program does. */
export async function writeStored(env: NodeJS.ProcessEnv, account: string, text: string): Promise<void> {
  const { signal } = new AbortController();
  await persistently(env, async () => {
    const wrote = await requestInChild({ operation: 'write', account, text }, env, signal);
    if (!wrote.ok) throw new Error(wrote.message);
  });
}

/** The secret of one item of service `postern`, by `secret-tool`. */
export function lookupItem(env: NodeJS.ProcessEnv, account: string): Promise<string | undefined> {
  const args = ['lookup', 'service', 'postern', 'username', account];
  return persistently(env, () =>
    run('secret-tool', args, { env, maxBuffer: 16_777_216 }).then(
      ({ stdout }) => stdout,
      (error: { readonly stderr?: string }) => {
        if (error.stderr === '') return undefined; // no such item
        throw error;
      },
    ),
  );
}

/** Every item of service `postern`, by `secret-tool`. */
export async function keyringItems(env: NodeJS.ProcessEnv): Promise<KeyringItem[]> {
  // Attributes are printed on stderr, the rest on stdout; an account stands once for each item.
  const { stderr } = await persistently(env, () =>
    run('secret-tool', ['search', '--all', 'service', 'postern'], { env }),
  );
  const accounts = [...stderr.matchAll(/^attribute\.username = (.*)$/gm)].map(([, account]) => account ?? '');
  return await Promise.all(
    accounts.map(async (account) => {
      const search = ['search', 'service', 'postern', 'username', account];
      const one = await persistently(env, () => run('secret-tool', search, { env }));
      const shown = `${one.stdout.replace(/^secret = .*$/m, '')}${one.stderr}`;
      return { account, secret: (await lookupItem(env, account)) ?? '', shown };
    }),
  );
}
