import { quoted } from '../primitives/printable.js';
import { exitCode, Failure } from './failure.js';

/** No program of that name on the PATH. */
export function helperMissing(program: string): Failure {
  return new Failure({
    code: 'store_unavailable',
    exit: exitCode.store,
    message: `The store cannot be used: there is no ${program} in an absolute folder of the PATH.`,
    remedy:
      'Install it (Debian: apt-get install golang-docker-credential-helpers), or choose another store: postern login <server> --store file',
  });
}

/** It did not answer in time and was killed. It is not asked again by this process. */
export function helperTimeout(program: string, limitMs: number): Failure {
  return new Failure({
    code: 'store_timeout',
    exit: exitCode.store,
    message: `${program} did not answer within ${limitMs / 1000} s and was ended; it may be waiting for a prompt that nobody sees.`,
    remedy: 'Unlock what it keeps secrets in (its keyring, its GPG key), then run the command again.',
  });
}

/** It ended with an error. `said` is untrusted, and holds no secret. */
export function helperFailed(program: string, operation: string, said: string): Failure {
  return new Failure({
    code: 'store_failed',
    exit: exitCode.store,
    message: `${program} ${operation} failed${said === '' ? ' and said nothing that may be shown' : `: ${quoted(said, 200)}`}.`,
    remedy: `Make ${program} work (it needs its keyring or password store set up and unlocked), then run the command again.`,
  });
}

/** What it gave back is not what was given to it. */
export function helperAnswerWrong(program: string, why: string): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `What ${program} gave back is not what postern stored in it: ${why}. It was not used.`,
    remedy: `Mend ${program} and log in again, or choose another store: postern login <server> --store file`,
  });
}
