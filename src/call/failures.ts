import { exitCode, Failure } from '../core/failure.js';
import { namedServer, quotedServer, visibleUrl } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import { asObject, type JsonValue, stringField } from '../core/text/json.js';
import { counted, printable, quoted, quotedPath, shellWord } from '../core/text/printable.js';
import { CallRefused, type RpcError } from '../mcp/failures.js';

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
    message: `${quotedServer(server)} sent more than ${mebibytes} MiB in one call${why}.`,
    remedy: 'If it may send more, raise callMiB in the configuration, which is shown by: postern config',
    leads: true,
  });
}

/** One message of so many values, names or wide characters that to hold it takes several times its bytes. */
export function messageTooCostly(server: string): Failure {
  return new Failure({
    code: 'too_large',
    exit: exitCode.serverBreaksRules,
    message: `${quotedServer(server)} sent a message of so many values and names that it would take too much memory.`,
    remedy: 'Ask for less at a time, where the tool or method can do that.',
  });
}

/** What a server can be asked by name, for "did you mean". */
export const methods = [
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get', 'resources/list', 'resources/read'],
  ...['resources/templates/list', 'resources/subscribe', 'logging/setLevel', 'completion/complete'],
];

/** The error of older servers that want pages opened before they take a request (2025-11-25, client/elicitation). */
export const pageRequired = -32042;

function pagesIn(data: JsonValue | undefined): readonly string[] {
  const listed = asObject(data)?.['elicitations'];
  const pages = (Array.isArray(listed) ? listed : []).map((one) => stringField(asObject(one) ?? {}, 'url'));
  return pages.filter((url) => url !== undefined).slice(0, 3);
}

/** A JSON-RPC error. */
export function callRefused(method: string, error: RpcError): CallRefused {
  const message = `The server refused ${quoted(method)} (${error.code}): ${quoted(error.message)}`;
  if (error.code === pageRequired) {
    const pages = pagesIn(error.data);
    const named = pages.length === 0 ? '' : `: ${pages.map((url) => quoted(url, 500)).join(', ')}`;
    return new CallRefused(
      { message, remedy: `Open what it wants seen in a browser first, then call again${named}` },
      error,
    );
  }
  if (error.code !== -32601) return new CallRefused({ message, remedy: 'Check the method and its arguments.' }, error);
  const meant = methods.includes(method) ? undefined : closest(method, methods);
  const hint = meant === undefined ? '' : `Did you mean ${meant}? `;
  return new CallRefused(
    { message, remedy: ({ server }) => `${hint}See what the server offers: postern call ${server}` },
    error,
  );
}

/** What has ended a request of which the server had made a task. @param became A sentence on what became of the task. */
export function taskEnded({ detail }: Failure, became: string): Failure {
  return new Failure({ ...detail, message: `${detail.message} ${became}` });
}

/** A task that its server has ended by itself. */
export function taskCancelled(said: string | undefined): Failure {
  const words = said === undefined ? '' : `; it said: ${quoted(said)}`;
  return new Failure({
    code: 'call_failed',
    exit: exitCode.callFailed,
    message: `The server has cancelled its task${words}.`,
    remedy: 'Call again, or ask whoever runs the server.',
  });
}

/** No response within `--timeout`. */
export function callTimedOut(method: string, seconds: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `No response to ${quoted(method)} within ${seconds} seconds.`,
    remedy: 'Add --timeout with more seconds.',
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

/** `name:=…` with something that is no JSON: mostly text. */
export function notJson(argument: string, name: string, why: string): Failure {
  return new Failure({
    code: 'argument_unusable',
    exit: exitCode.usage,
    message: `The argument ${quoted(argument, 80)} cannot be used: ${why}.`,
    remedy: `For text, use = alone: ${printable(shellWord(name), 80)}=…`,
  });
}

/** The tool ran and reported an error; what it said is on stdout. */
export function toolFailed(tool: string, server?: string): Failure {
  const help = `postern call ${shellWord(printable(server ?? '', 200))} ${shellWord(printable(tool, 80))} --help`;
  return new Failure({
    code: 'tool_failed',
    exit: exitCode.callFailed,
    message: `The tool ${quoted(tool, 80)} reported an error.`,
    remedy:
      server === undefined
        ? 'What it said is above; check its arguments.'
        : `What it said is above; what it takes: ${help}`,
  });
}

/** An HTTP status of 400 or more, with `--fail`. */
export function requestFailed(url: string, status: number, said: string): Failure {
  return new Failure({
    code: 'http_failed',
    exit: exitCode.callFailed,
    message: `${quoted(visibleUrl(url))} responded ${status}${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: 'Leave --fail out to see the response.',
  });
}

/** `request` was given the name of a login. */
export function requestUrlNeeded(name: string, server: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: '`request` needs a URL.',
    remedy: `Did you mean ${shellWord(namedServer(server))} (login ${quoted(name, 80)})?`,
  });
}

/** No response to a raw request within `--timeout`. */
export function requestTimedOut(url: string, seconds: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `${quoted(visibleUrl(url))} did not send its whole response within ${seconds} seconds.`,
    remedy: 'Add --timeout with more seconds.',
  });
}

/** The server has no stream on which it could say anything unasked. */
export function nothingToWatch(server: string, cause: unknown): Failure {
  return new Failure({
    code: 'nothing_to_watch',
    exit: exitCode.callFailed,
    message: `${quotedServer(server)} offers no stream of notifications.`,
    remedy: ({ server }) => `Ask it now and then instead: postern call ${server}`,
    cause,
  });
}

/** The peer does not answer, though its connection stands. */
export function peerSilent(server: string, seconds: number): Failure {
  return new Failure({
    code: 'peer_silent',
    exit: exitCode.network,
    message: `${quotedServer(server)} did not answer a ping within ${counted(seconds, 'second')}.`,
    remedy: 'Check that the server is running; --ping with more seconds gives it more time.',
  });
}

/** What a result brought could not be saved. @param why Ends the sentence. */
export function notSaved(folder: string, why: string): Failure {
  return new Failure({
    code: 'not_saved',
    exit: exitCode.usage,
    message: `Not all could be saved in ${quotedPath(folder, 200)}: ${why}.`,
    remedy: 'Name another folder with --save, or see all of the result with --output json.',
  });
}
