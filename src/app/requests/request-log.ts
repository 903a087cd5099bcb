import { Failure } from '../../core/failure.js';
import { visibleUrl } from '../../core/resource.js';
import { asObject, parseObject, stringField } from '../../core/text/json.js';
import { asciiJson, printable } from '../../core/text/printable.js';
import type { Observe, ObservedRequest } from '../../http/request.js';
import { PassingWatcher, type Wire, type WireRequest, type WireWatcher } from '../../mcp/wire.js';

/** Longest value of a header that is shown. */
const longestValue = 300;

/**
 * Headers whose values are shown. Of all others the name is: people send keys in headers of any name, and servers begin
 * sessions in them. What these hold of a secret that is known is taken out of every line that is printed.
 */
const shownHeaders = new Set(
  [
    'accept accept-encoding accept-language accept-ranges age allow cache-control connection content-encoding',
    'content-language content-length content-type date deprecation expires host last-modified',
    'access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers',
    'keep-alive mcp-method mcp-protocol-version pragma retry-after server strict-transport-security sunset transfer-encoding',
    'user-agent vary via warning www-authenticate x-content-type-options x-ratelimit-limit x-ratelimit-remaining',
    'x-ratelimit-reset ratelimit-limit ratelimit-remaining ratelimit-reset',
  ].flatMap((line) => line.split(' ')),
);

/** Addresses, or names that may be some: shown without a query, which may be a code, a token or a state. */
const addressHeaders = new Set(['location', 'content-location', 'referer', 'mcp-name']);

type Shown = readonly [name: string, value: string];

/** Prints what leaves, for `--verbose`: a block for each request, or with `json` a line. */
export function requestPrinter(options: { readonly show: (line: string) => void; readonly json: boolean }): Observe {
  const { show, json } = options;
  return (request) => {
    for (const line of json ? [requestJson(request)] : requestLines(request)) show(line);
  };
}

/** A block: method, address, what came, how long it took; then the headers, those sent after `>`, those received after `<`. */
export function requestLines(request: ObservedRequest): readonly string[] {
  const { response, headers } = request;
  const sent = pairsOf(headers).map((header) => headerLine('>', header));
  const received = (response?.headers ?? []).map((header) => headerLine('<', header));
  return [requestLine(request), ...sent, ...received];
}

/** The first line of the block, which is all that is printed of a request that passes through. */
function requestLine(request: Omit<ObservedRequest, 'headers'>): string {
  const { method, url, ms, response, error } = request;
  const came = response === undefined ? `no response (${codeOf(error)})` : String(response.status);
  const address = printable(visibleUrl(url), 500);
  return `request  ${printable(method, 40)} ${address}  ${came}  ${Math.round(ms)} ms`;
}

function headerLine(mark: string, header: Shown): string {
  const [name, value] = shownHeader(header);
  return `         ${mark} ${name}: ${value}`;
}

function requestJson({ method, url, ms, response, headers, error }: ObservedRequest): string {
  const request = {
    method: printable(method, 40),
    url: printable(visibleUrl(url), 500),
    status: response?.status ?? null,
    milliseconds: Math.round(ms),
    error: response === undefined ? codeOf(error) : null,
    requestHeaders: pairsOf(headers).map(shownHeader).map(named),
    responseHeaders: (response?.headers ?? []).map(shownHeader).map(named),
  };
  return asciiJson({ request });
}

/**
 * What a process of ours, started with `--json --verbose`, says of its requests, for one line of its stderr; nothing for
 * whatever else stands there.
 */
export function reportedLines(line: string, json: boolean): readonly string[] {
  const request = asObject(parseObject(line)?.['request']);
  if (request === undefined) return [];
  if (json) return [asciiJson({ request })];
  const text = (name: string) => printable(stringField(request, name) ?? '?', 500);
  const came = typeof request['status'] === 'number' ? String(request['status']) : `no response (${text('error')})`;
  const headers = (name: string, mark: string) =>
    (Array.isArray(request[name]) ? request[name] : []).map((one) => {
      const header = asObject(one) ?? {};
      return headerLine(mark, shownHeader([stringField(header, 'name') ?? '?', stringField(header, 'value') ?? '']));
    });
  const first = `request  ${text('method')} ${text('url')}  ${came}  ${Number(request['milliseconds'])} ms  (refresh)`;
  return [first, ...headers('requestHeaders', '>'), ...headers('responseHeaders', '<')];
}

function named([name, value]: Shown) {
  return { name, value };
}

/** A header as it may be read by anybody. */
function shownHeader([name, value]: Shown): Shown {
  const known = name.toLowerCase();
  const shown = shownHeaders.has(known) ? value : addressHeaders.has(known) ? visibleUrl(value) : '***';
  return [printable(name, 80), printable(shown, longestValue)];
}

function pairsOf(flat: readonly string[]): readonly Shown[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}

function codeOf(error: unknown): string {
  return error instanceof Failure ? error.code.replaceAll('_', ' ') : 'fault';
}

/** A wire of which each request is printed, in one line. */
export function logWire(
  wire: Wire & AsyncDisposable,
  { show }: { readonly show: (line: string) => void },
): Wire & AsyncDisposable {
  return {
    send: (request, watcher) => wire.send(request, new WireLog(watcher, request, (seen) => show(requestLine(seen)))),
    cut: (reason) => wire.cut(reason),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

/** Tells of one request when its head comes, or when none will. */
class WireLog extends PassingWatcher {
  readonly #request: WireRequest;
  readonly #print: (seen: Omit<ObservedRequest, 'headers'>) => void;
  readonly #began = performance.now();
  #isPrinted = false;

  constructor(watcher: WireWatcher, request: WireRequest, print: (seen: Omit<ObservedRequest, 'headers'>) => void) {
    super(watcher);
    this.#request = request;
    this.#print = print;
  }

  override head(status: number, header: (name: string) => readonly string[]): void {
    this.#seen({ status, headers: [] }, undefined);
    super.head(status, header);
  }

  override failed(error: unknown, unanswered: boolean): void {
    this.#seen(undefined, error);
    super.failed(error, unanswered);
  }

  #seen(response: ObservedRequest['response'], error: unknown): void {
    if (this.#isPrinted) return;
    this.#isPrinted = true;
    const { method, url } = this.#request;
    this.#print({ method, url, ms: performance.now() - this.#began, response, error });
  }
}
