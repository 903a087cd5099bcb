import { exitCode, Failure } from '../core/failure.js';
import { quoted } from '../core/text/printable.js';

/** The peer does not keep to the protocol. */
export function protocolBroken(server: string, why: string, cause?: unknown): Failure {
  return new Failure({
    code: 'protocol_broken',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} does not keep to the protocol: ${why}.`,
    remedy: 'Report this to the server’s operator; --verbose shows what was asked.',
    cause,
  });
}

/** An HTTP status that is no success. `said`: the server's own words. */
export function httpFailed(server: string, status: number, said = ''): Failure {
  return new Failure({
    code: 'http_failed',
    exit: exitCode.callFailed,
    message: `${quoted(server)} answered ${status}${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: afterStatus(status),
  });
}

function afterStatus(status: number): string {
  if (status === 404) return 'Check the address, its path above all.';
  if (status === 403) return 'This login may not do that: ask the server’s operator who may.';
  if (status >= 500 || status === 429 || status === 408) return 'Try again later, or ask the server’s operator.';
  return 'The server does not take this request: ask its operator why.';
}

/** The server forgot the session and another one cannot be opened in its place. */
export function sessionLost(server: string, why: string): Failure {
  return new Failure({
    code: 'session_lost',
    exit: exitCode.callFailed,
    message: `${quoted(server)} has forgotten the session, and ${why}.`,
    remedy: 'Start the connection again in the program that uses this bridge, or run the command again.',
  });
}
