import { exitCode, Failure, systemCode } from '../../core/failure.js';
import { quoted, quotedPath } from '../../core/text/printable.js';
import { storeFailure } from '../state-failures.js';

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

/** It was reached, and does not do its work. @param why Ends the sentence "… cannot be used: …". */
export function engineUnusable(label: string, why: string, remedy = `Look at its log. ${more}`): Failure {
  return storeFailure('store_unavailable', `${label} cannot be used: ${why}.`, remedy);
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
