import { exitCode, Failure } from '../core/failure.js';
import { printable } from '../core/text/printable.js';

/** There is no npm on the PATH that can be started without a shell. */
export function npmMissing(): Failure {
  return new Failure({
    code: 'npm_not_found',
    exit: exitCode.usage,
    message: 'Releases are looked up with npm, and there is no npm on the PATH.',
    remedy: 'Look where you got postern from, or install npm, then run again: postern upgrade-check',
  });
}

/** npm has ended without a result. `code` is npm's own, or says how it ended. */
export function npmFailed(code: string): Failure {
  const isOffline = /^(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)$/.test(code);
  const why = printable(code, 80);
  return new Failure({
    code: 'npm_failed',
    exit: exitCode.network,
    message: isOffline
      ? `npm does not reach its registry (${why}), so nobody knows of newer releases.`
      : `npm could not look up the releases (${why}).`,
    remedy: 'See what npm says: npm ping; then run again: postern upgrade-check',
  });
}

/** npm was waited for in vain. */
export function npmSilent(limitMs: number): Failure {
  return new Failure({
    code: 'npm_failed',
    exit: exitCode.network,
    message: `npm did not look up the releases within ${limitMs / 1000} s.`,
    remedy: 'See what npm says: npm ping; then run again: postern upgrade-check',
  });
}

/** What came is no list of releases. */
export function npmSaysNothing(): Failure {
  return new Failure({
    code: 'npm_unusable',
    exit: exitCode.serverBreaksRules,
    message: 'What npm printed is no list of releases.',
    remedy: 'See which registry it asks: npm config get registry',
  });
}
