import { Failure } from '../core/failure.js';
import type { LoggedRequest } from '../core/ports.js';
import { visibleUrl } from '../core/resource.js';
import { asObject, parseObject } from '../core/text/json.js';
import { type Look, toned } from '../core/text/look.js';
import { asciiJson, printable } from '../core/text/printable.js';
import type { Observe, ObservedRequest } from '../http/request.js';
import type { Wire } from '../mcp/wire.js';

/** Longest value of a header that is shown. */
const longestValue = 300;

/**
 * Headers whose values are shown; of all others only the name, since any header may hold a key or a session. Known secrets
 * are redacted from every printed line anyway.
 */
const shownHeaders = new RegExp(
  `^(?:${[
    'accept|accept-(?:encoding|language|ranges)|age|allow|cache-control|connection|content-(?:encoding|language|length|type)',
    'access-control-(?:allow-headers|allow-methods|allow-origin|expose-headers)|date|deprecation|expires|host|keep-alive',
    'last-modified|mcp-method|mcp-protocol-version|pragma|retry-after|server|strict-transport-security|sunset',
    'transfer-encoding|user-agent|vary|via|www-authenticate|x-content-type-options|(?:x-)?ratelimit-(?:limit|remaining|reset)',
  ].join('|')})$`,
);

/** Shown without a query, which may hold a code, a token or a state. */
const addressHeaders = new Set(['location', 'content-location', 'referer', 'mcp-name']);

/** The part of a request that `--json --verbose` prints. */
type ShownRequest = ReturnType<typeof shownRequest>;

/** Prints what leaves, for `--verbose`: a block for each request, or with `json` a line. */
export function requestPrinter({ show, json }: { readonly show: (line: string) => void; readonly json: boolean }) {
  const print = (request: ShownRequest, note = '') => {
    for (const line of json ? [asciiJson({ request })] : requestLines(request, note)) show(line);
  };
  return {
    observe: (request: ObservedRequest) => print(shownRequest(request)),
    /** For one line of stderr of a process of ours that was started with `--json --verbose`. */
    report: (line: string) => {
      const request = asObject(parseObject(line)?.['request']);
      if (request !== undefined) print(request as unknown as ShownRequest, '  (refresh)');
    },
  };
}

/** A block: method, address, outcome, duration; then the headers, `>` for sent, `<` for received ones. */
function requestLines(request: ShownRequest, note: string): readonly string[] {
  const { method, url, status, milliseconds, error, requestHeaders, responseHeaders } = request;
  return [
    `request  ${method} ${url}  ${status ?? `no response (${error})`}  ${milliseconds} ms${note}`,
    ...requestHeaders.map(({ name, value }) => `         > ${name}: ${value}`),
    ...responseHeaders.map(({ name, value }) => `         < ${name}: ${value}`),
  ];
}

function shownRequest({ method, url, ms, response, headers, error }: ObservedRequest) {
  const code = error instanceof Failure ? error.code.replaceAll('_', ' ') : 'fault';
  return {
    method: printable(method, 40),
    url: printable(visibleUrl(url), 500),
    status: response?.status ?? null,
    milliseconds: Math.round(ms),
    error: response === undefined ? code : null,
    requestHeaders: pairsOf(headers).map(shownHeader),
    responseHeaders: (response?.headers ?? []).map(shownHeader),
  };
}

/** Of names and values in turn. */
function pairsOf(lines: readonly string[]) {
  return lines.flatMap((name, at) => (at % 2 === 0 ? [[name, lines[at + 1] ?? ''] as const] : []));
}

function shownHeader([name, value]: readonly [name: string, value: string]) {
  const known = name.toLowerCase();
  const shown = shownHeaders.test(known) ? value : addressHeaders.has(known) ? visibleUrl(value) : '***';
  return { name: printable(known, 80), value: printable(shown, longestValue) };
}

/** A wire of which each request is printed. */
export function logWire(
  wire: Wire & AsyncDisposable,
  { userAgent, observe }: { readonly userAgent: string; readonly observe: Observe },
): Wire & AsyncDisposable {
  return {
    send: (request, watcher) => {
      const { method, url } = request;
      const began = performance.now();
      let isSeen = false;
      const seen = (response: ObservedRequest['response'], error: unknown) => {
        if (isSeen) return;
        isSeen = true;
        const headers = ['user-agent', userAgent, ...request.headers.flat()];
        observe({ method, url, headers, ms: performance.now() - began, response, error });
      };
      return wire.send(request, {
        head: (status, header, lines) => {
          seen({ status, headers: pairsOf(lines) }, undefined);
          watcher.head(status, header, lines);
        },
        data: (chunk) => watcher.data(chunk),
        end: () => watcher.end(),
        failed: (error, unanswered) => {
          seen(undefined, error);
          watcher.failed(error, unanswered);
        },
      });
    },
    cut: (reason) => wire.cut(reason),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

/** The first word of its User-Agent: `curl/8.5.0`. */
function programOf({ program }: LoggedRequest): string | undefined {
  const [word = ''] = program?.trim().split(/\s/, 1) ?? [];
  return word === '' ? undefined : printable(word, 60);
}

/** One request to a server of ours, in one line: the time here, method, path, status, milliseconds, who asked. */
export function loggedLine(request: LoggedRequest, look: Look): string {
  const { at, method, what, status, ms } = request;
  const time = toned(look, 'dim', new Date(at).toTimeString().slice(0, 8));
  const came = toned(look, /^[23]/.test(status) ? 'good' : 'warning', printable(status, 20));
  const took = ms === undefined ? undefined : `${Math.round(ms)} ms`;
  const by = programOf(request);
  const end = [took, by && toned(look, 'dim', by)].filter((part) => part !== undefined);
  return [time, printable(method, 20).padEnd(4), came, printable(what, 300), ...end].join('  ');
}

/** The same for programs. */
export function loggedJson(request: LoggedRequest) {
  const { at, method, what, status, ms } = request;
  return {
    time: new Date(at).toISOString(),
    method: printable(method, 20),
    path: printable(what, 300),
    status: /^\d+$/.test(status) ? Number(status) : null,
    milliseconds: ms === undefined ? null : Math.round(ms),
    program: programOf(request) ?? null,
  };
}
