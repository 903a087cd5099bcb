import { exitCode, Failure } from '../core/failure.js';
import { visibleUrl } from '../core/resource.js';
import { quoted } from '../core/text/printable.js';

/** Lines and events of streams, and what each counts beyond its bytes. */
interface Pieces {
  readonly lines: number;
  readonly events: number;
  readonly costOfLine: number;
  readonly costOfEvent: number;
}

/** The responses of one call are larger than is read: because of many pieces, if they are given. */
export function callTooLarge(server: string, mebibytes: number, pieces: Pieces | undefined): Failure {
  const why =
    pieces === undefined
      ? ''
      : `: ${pieces.events} events, which count ${pieces.costOfEvent} bytes each, and ${pieces.lines} lines, which count ${pieces.costOfLine}, beside what they hold`;
  return new Failure({
    code: 'too_large',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} sent more than ${mebibytes} MiB in one call${why}.`,
    remedy: 'If it may send more, raise callMiB in the configuration, which is shown by: postern config',
  });
}

/** One message of so many values, names or wide characters that to hold it takes several times its bytes. */
export function messageTooCostly(server: string): Failure {
  return new Failure({
    code: 'too_large',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} sent a message of so many values and names that it would take too much memory.`,
    remedy: 'Ask for less at a time, where the tool or method can do that.',
  });
}

/** A JSON-RPC error. */
export function callRefused(method: string, code: number, said: string): Failure {
  return new Failure({
    code: 'call_failed',
    exit: exitCode.callFailed,
    message: `The server refused ${quoted(method)} (${code}): ${quoted(said)}`,
    remedy:
      code === -32601 ? 'See what the server offers: postern call <server>' : 'Check the method and its arguments.',
  });
}

/** No response within `--timeout`. */
export function callTimedOut(method: string, seconds: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `No answer to ${quoted(method)} within ${seconds} seconds.`,
    remedy: 'Give it longer with --timeout.',
  });
}

/** An argument of `call` that cannot be read. */
export function argumentUnusable(argument: string, why: string): Failure {
  return new Failure({
    code: 'argument_unusable',
    exit: exitCode.usage,
    message: `The argument ${quoted(argument, 80)} cannot be used: ${why}.`,
    remedy: 'Pass key=value, key:=JSON, @file with a JSON object, or - for a JSON object on stdin.',
  });
}

/** The tool ran and reported an error; what it said is on stdout. */
export function toolFailed(tool: string): Failure {
  return new Failure({
    code: 'tool_failed',
    exit: exitCode.callFailed,
    message: `The tool ${quoted(tool, 80)} reported an error.`,
    remedy: 'See what it printed, and check its arguments.',
  });
}

/** An HTTP status of 400 or more, with `--fail`. */
export function requestFailed(url: string, status: number, said: string): Failure {
  return new Failure({
    code: 'http_failed',
    exit: exitCode.callFailed,
    message: `${quoted(visibleUrl(url))} answered ${status}${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: 'Without --fail the answer is shown.',
  });
}

/** No response to a raw request within `--timeout`. */
export function requestTimedOut(url: string, seconds: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `${quoted(visibleUrl(url))} did not answer whole within ${seconds} seconds.`,
    remedy: 'Give it longer with --timeout.',
  });
}
