import { exitCode, Failure, systemCode } from '../core/failure.js';
import { printable, quoted, quotedPath } from '../core/text/printable.js';
import { storeFailure } from '../stores/failures.js';

/** `--listen` names no port of this machine's loopback. */
export function listenRefused(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'The value of --listen cannot be used: it is not 127.0.0.1 with a port.',
    remedy: 'Write it as 127.0.0.1:9464; it is for this machine alone. See: postern keeper --help',
  });
}

const more = 'How to set one up: postern help fleet';

const shapes =
  'redis:rediss://HOST:PORT, redis:redis://127.0.0.1:PORT or redis:unix:/path/to/socket, each but the socket with /NAMESPACE after it where you want one';

/** @param why Ends the sentence "it …"; holds nothing of the address, which may have a password in it. */
export function engineAddressRefused(why: string, remedy = `Write it as ${shapes}.`): Failure {
  return new Failure({
    code: 'engine_address_refused',
    exit: exitCode.usage,
    message: `The address of the shared store cannot be used: ${why}.`,
    remedy,
  });
}

/** Where name and password are written instead. */
export function addressHoldsCredentials(): Failure {
  return engineAddressRefused(
    'it holds a user name or password, which everybody on this machine could read in the list of processes',
    'Leave them out, write NAME:PASSWORD into a file of mode 600, and name that in POSTERN_ENGINE_CREDENTIALS_FILE; if the password was real, change it.',
  );
}

/** @param why Ends the sentence "… cannot be used: …". */
export function engineCredentialsUnusable(path: string, why: string): Failure {
  return storeFailure(
    'engine_credentials_unusable',
    `The file with the name and password of the shared store, ${quotedPath(path, 200)}, cannot be used: ${why}.`,
    'Write NAME:PASSWORD into it, mode 600, and name it in POSTERN_ENGINE_CREDENTIALS_FILE.',
  );
}

/** The network's cause, in our own words. @param cause The failure of the connection or of the HTTP request. */
export function engineUnreachable(label: string, cause: Failure): Failure {
  const { connection } = cause.detail;
  const why = connection === undefined ? cause.message : `it ${connection.happened} (${systemCode(cause.cause)}).`;
  const remedy = connection && 'Check that it runs, that it can be reached, and whether it speaks TLS at that port.';
  return storeFailure('store_unavailable', `${label} cannot be used: ${why}`, remedy ?? cause.remedy, cause);
}

/** It was reached, and does not do its work. @param code Redis' own word for it. @param why Ends the sentence "… cannot be used: …". */
export function engineUnusable(label: string, why: string, remedy = `Look at its log. ${more}`, code = ''): Failure {
  const cause = Object.assign(new Error(code), { code });
  return storeFailure('store_unavailable', `${label} cannot be used: ${why}.`, remedy, cause);
}

/** It goes on sending. */
export function engineFloods(label: string, maxBytes: number): Failure {
  const why = `what it sends is larger than ${maxBytes / 1024 / 1024} MiB`;
  return engineUnusable(label, why, 'Check host and port; if it is yours, find out who else writes there.');
}

/** Not an error, and not a possible response to the command: nothing is concluded from it, such as that a login is gone. */
export function engineNotUnderstood(label: string): Failure {
  return storeFailure(
    'engine_not_understood',
    `${label} cannot be used: it sent something that Redis never sends.`,
    'Check the address, and any proxy in front of it.',
  );
}

/** @param at A handshake began, and what listens there may know none of TLS; or a command was sent. */
export function engineTooSlow(label: string, limitMs: number, at: 'command' | 'connecting' | 'tls'): Failure {
  const setting = at === 'connecting' ? 'connectSeconds' : 'storeSeconds';
  const remedy =
    at === 'tls'
      ? 'Check host and port, and that it speaks TLS there.'
      : `Look at its load and at the network; for slower ones set limits.${setting}: postern config edit`;
  return engineUnusable(label, `it did not respond within ${limitMs / 1000} s`, remedy);
}

export type Denial = 'wrong' | 'needed' | 'not_asked' | 'rights';

const denials: Readonly<Record<Denial, readonly [why: string, remedy: string]>> = {
  wrong: [
    'refuses this name and password',
    'Correct them in the file of POSTERN_ENGINE_CREDENTIALS_FILE (NAME:PASSWORD).',
  ],
  needed: [
    'asks for a name and password',
    'Write NAME:PASSWORD into a file of mode 600, and name it in POSTERN_ENGINE_CREDENTIALS_FILE.',
  ],
  not_asked: [
    'asks for no name and password, so everybody who reaches it could change what is in it',
    'Switch its authentication on (postern help fleet), or take POSTERN_ENGINE_CREDENTIALS_FILE away.',
  ],
  rights: ['does not allow this user what was asked', 'Give the user the rights that it needs: postern help fleet'],
};

/** @param asked Ours, such as `to write`. */
export function engineDenies(label: string, denial: Denial, asked = ''): Failure {
  const [why, remedy] = denials[denial];
  return storeFailure('store_denied', `${label} ${why}${asked === '' ? '' : ` (${asked})`}.`, remedy);
}

/** What stands there is none of ours. */
export function engineEntryForeign(label: string, key: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `${label} holds something else than postern wrote at ${quoted(key, 200)}; it was not used.`,
    'Let nothing else write below that name: choose another namespace, at the end of the address (/NAMESPACE).',
  );
}

const setUp = 'How a fleet is set up: postern help fleet';

/** Nothing to open the items with that every machine of the fleet reads. */
export function sharedKeyMissing(label: string): Failure {
  return storeFailure(
    'store_key_missing',
    `The logins in ${label} are sealed, and POSTERN_STORE_KEY_FILE names no key file here.`,
    `Copy the key file of the fleet's readers here (mode 600), and name it in POSTERN_STORE_KEY_FILE. ${setUp}`,
  );
}

/** One key comes from a file, and the other one does not. */
export function sharedKeysMixed(): Failure {
  return storeFailure(
    'store_key_missing',
    'POSTERN_STORE_REFRESH_KEY_FILE names a key file, and POSTERN_STORE_KEY_FILE does not: a shared store has two key files.',
    "Name the key file of the fleet's readers in POSTERN_STORE_KEY_FILE.",
  );
}

/** What refreshes has to have a key of its own. */
export function refreshKeyMissing(label: string): Failure {
  return storeFailure(
    'store_key_missing',
    `The refresh tokens in ${label} are sealed with a key of their own, and POSTERN_STORE_REFRESH_KEY_FILE names no key file here.`,
    'Name the key file of the refreshers there (32 random bytes, another file than that of POSTERN_STORE_KEY_FILE); or, where this machine is only to read, set POSTERN_STORE_READ_ONLY=1.',
  );
}

/** A machine with one key would have the other. */
export function sharedKeysAlike(): Failure {
  return storeFailure(
    'store_key_unsafe',
    'POSTERN_STORE_KEY_FILE and POSTERN_STORE_REFRESH_KEY_FILE hold the same key: every machine that reads could refresh.',
    'Make a second one of 32 random bytes for the machines that refresh: (umask 077; head -c 32 /dev/urandom > "$HOME/.postern-refresh-key")',
  );
}

/** Its items do not open with the key that is here. Nothing was changed. */
export function sharedKeyWrong(label: string, which: 'readers' | 'refreshers'): Failure {
  const variable = which === 'readers' ? 'POSTERN_STORE_KEY_FILE' : 'POSTERN_STORE_REFRESH_KEY_FILE';
  return storeFailure(
    'store_key_wrong',
    `What is in ${label} does not open with the key of the ${which} that is here; it was left as it is.`,
    `Name the key file that the other machines have in ${variable}, or begin another namespace at the end of the address (/NAMESPACE).`,
  );
}

/** Both items are there, and are not those of one write. */
export function sharedItemsApart(label: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `The two items of a login in ${label} do not belong together: one of them was put back or changed by something else. They were left as they are.`,
    ({ logIn }) => `Log in again, which replaces both: ${logIn()}`,
  );
}

/** The engine has gone back in time: it failed over, was put back from a copy, or is in an attacker's hands. */
export function sharedSpent(label: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `${label} has an older state of this login again, whose refresh token was used and replaced: what was written last is lost there. That token was not sent a second time.`,
    ({ logIn }) => `Find out why (a failover, an old copy, appendfsync not always), then log in again: ${logIn()}`,
  );
}

export function sharedItemNewer(label: string): Failure {
  return storeFailure(
    'credential_newer',
    `A newer postern has written the login in ${label}; it was left as it is.`,
    'Update postern to the newest release, then try again.',
  );
}

/** Asked to write where only reading is allowed. */
export function storeReadOnly(label: string): Failure {
  return storeFailure(
    'store_read_only',
    `This machine only reads ${label} (POSTERN_STORE_READ_ONLY, storeReadOnly of postern config): nothing was changed there.`,
    'Do it on a machine that may write there; to forget a login on this machine alone: postern logout NAME --local',
  );
}

/** Another machine has written this login since it was read: what was to be written follows on what is gone. */
export function sharedOvertaken(label: string): Failure {
  return new Failure({
    code: 'shared_overtaken',
    exit: exitCode.store,
    message: `Another machine has changed this login in ${label} meanwhile; nothing was overwritten.`,
    remedy: 'Try again.',
  });
}

/** The turn ended before the refresh token was sent: nothing was changed. */
export function sharedTurnLost(label: string): Failure {
  return new Failure({
    code: 'shared_overtaken',
    exit: exitCode.store,
    message: `The turn of this machine to refresh this login ended in ${label} before anything was sent: this process was paused for longer than its lease, another machine has the login, or the engine removed the lease.`,
    remedy:
      'Try again. If it goes on, see that the engine removes nothing before its time (in Redis: maxmemory-policy noeviction), or raise POSTERN_LEASE_SECONDS. How a fleet is set up: postern help fleet',
  });
}

/** Another machine has its turn all the time. @param by Its name and process, from a sealed item. */
export function sharedBusy(label: string, by: string, waitedMs: number): Failure {
  return new Failure({
    code: 'busy',
    exit: exitCode.network,
    message: `Another postern (${printable(by, 100)}) is at work on the same login in ${label}, and did not finish within ${Math.round(waitedMs / 100) / 10} s.`,
    remedy: 'Try again. If that machine has died, its turn expires by itself.',
  });
}

/** It goes on responding to no write whether it was done. */
export function sharedUncertain(label: string, cause: unknown): Failure {
  return storeFailure(
    'store_unavailable',
    `${label} did not say whether it has written: the connection ended each time.`,
    'Look at its log and at the network, then try again.',
    cause,
  );
}
