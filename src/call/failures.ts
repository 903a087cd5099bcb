import { exitCode, Failure, type Typo } from '../core/failure.js';
import { namedServer, quotedServer, visibleUrl } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import { asObject, type JsonValue, stringField } from '../core/text/json.js';
import { counted, printable, quoted, quotedPath, shellWord } from '../core/text/printable.js';
import { CallRefused, type RpcError } from '../mcp/failures.js';

function wrong(code: string, message: string, remedy: Failure['detail']['remedy'], typo?: Typo): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy, typo });
}

/** The responses of one call are larger than is read. @param isOfPieces Whether it is their number that counts. */
export function callTooLarge(server: string, mebibytes: number, isOfPieces: boolean): Failure {
  const why = isOfPieces ? ', as each line and event counts more than what it holds' : '';
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
  if (error.code === pageRequired) {
    const pages = pagesIn(error.data);
    const named = pages.length === 0 ? '' : `: ${pages.map((url) => quoted(url, 500)).join(', ')}`;
    return new CallRefused(method, error, `Open what it wants seen in a browser first, then call again${named}`);
  }
  if (error.code !== -32601) return new CallRefused(method, error);
  const meant = methods.includes(method) ? undefined : closest(method, methods);
  const hint = meant === undefined ? '' : `Did you mean ${meant}? `;
  return new CallRefused(method, error, ({ server }) => `${hint}See what the server offers: postern call ${server}`);
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

/** @param what Ends with what did not happen, such as `No response to “x”`. */
function timedOut(what: string, seconds: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `${what} within ${seconds} seconds.`,
    remedy: 'Add --timeout with more seconds.',
  });
}

/** No response within `--timeout`. */
export const callTimedOut = (method: string, seconds: number) => timedOut(`No response to ${quoted(method)}`, seconds);

/** The same for a plain request. */
export const requestTimedOut = (url: string, seconds: number) =>
  timedOut(`${quoted(visibleUrl(url))} did not send its whole response`, seconds);

/** @param why Ends the sentence. @param remedy Absent: how arguments are written. */
export function argumentUnusable(argument: string, why: string, remedy?: string): Failure {
  const usual = 'Pass key=value, key:=JSON, @file with a JSON object, or - for a JSON object on stdin.';
  return wrong(
    'argument_unusable',
    `The argument ${quoted(argument, 80)} cannot be used: ${why}.`,
    printable(remedy ?? usual, 600),
  );
}

/** Names in a sentence, as many as can be read. */
export function several(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => printable(name, 60));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** The server lists no such tool. @param isWhole Whether all of its list was read. */
export function toolUnknown(name: string, remedy: string, meant?: string, isWhole = true): Failure {
  const message = isWhole
    ? `The server has no tool ${quoted(name, 80)}.`
    : `The tool ${quoted(name, 80)} is not in the part of the server’s list that was read.`;
  return wrong(
    'tool_unknown',
    message,
    printable(remedy, 600),
    meant === undefined ? undefined : { typed: name, meant },
  );
}

/** @param help The command that explains the tool. */
export function parameterUnknown(
  { tool, name, names }: { readonly tool: string; readonly name: string; readonly names: readonly string[] },
  meant: string | undefined,
  help: string,
): Failure {
  const message = `The tool ${quoted(tool, 80)} has no parameter ${quoted(name, 80)}.`;
  const there = names.length === 0 ? 'It takes none.' : `It takes: ${several(names)}.`;
  const hint = meant === undefined ? there : `Did you mean ${printable(meant, 80)}?`;
  const typo = meant === undefined ? undefined : { typed: name, meant };
  return wrong('parameter_unknown', message, `${hint} See: ${help}`, typo);
}

/** @param example What to add, such as `text=…`. */
export function parameterMissing(tool: string, names: readonly string[], example: string, help: string): Failure {
  const what = names.length === 1 ? 'the parameter' : 'the parameters';
  return wrong(
    'parameter_missing',
    `The tool ${quoted(tool, 80)} needs ${what} ${several(names)}.`,
    `Add ${printable(example, 200)}, or see: ${help}`,
  );
}

/** A value that the parameter does not take. @param takes Ends the sentence "it takes …". */
export function valueRefused(
  { name, text, takes }: { readonly name: string; readonly text: string; readonly takes: string },
  remedy: string,
  meant?: string,
): Failure {
  return wrong(
    'value_refused',
    `${printable(name, 80)} cannot be ${quoted(text, 80)}: it takes ${printable(takes, 400)}.`,
    remedy,
    meant === undefined ? undefined : { typed: name, meant: `${name}=${meant}` },
  );
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
  const meant = `${shellWord(namedServer(server))} (login ${quoted(name, 80)})`;
  return wrong('usage_wrong', '`request` needs a URL.', `Did you mean ${meant}?`);
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
  return wrong(
    'not_saved',
    `Not all could be saved in ${quotedPath(folder, 200)}: ${why}.`,
    'Name another folder with --save, or see all of the result with --output json.',
  );
}
