import { clientInfo } from '../../core/product.js';
import { visibleUrl } from '../../core/resource.js';
import { printable } from '../../core/text/printable.js';
import type { Report } from '../report.js';
import { headerValues, type SeenExchange, type SeenResponse } from '../seen-http.js';
import { reportJson } from './as-json.js';

/** Headers that say how a login goes on, and hold no secret; of others the name alone is kept. */
const shown: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'date', 'server', 'via', 'www-authenticate', 'cache-control', 'retry-after'],
  ...['x-accel-buffering', 'allow', 'vary', 'strict-transport-security', 'mcp-protocol-version'],
]);

/** Characters of a document that are kept. */
const maxDocument = 16_384;

/** All of a run for a bug report: no token, cookie or session is in it, nor the names of other logins. */
export function bundleOf(subject: string, report: Report, exchanges: readonly SeenExchange[], runtime: string) {
  return {
    program: { ...clientInfo, runtime },
    report: reportJson(subject, report),
    // What is sent after a login may be said back.
    requests: exchanges.map((exchange) => requestOf(exchange, (text) => report.hidden.without(text))),
  };
}

type Clean = (text: string) => string;

function requestOf({ method, url, ms, response, failure }: SeenExchange, clean: Clean) {
  return {
    method,
    url: printable(clean(visibleUrl(url)), 2_000),
    ms,
    failure: failure === undefined ? null : { code: failure.code, message: printable(clean(failure.message), 1_000) },
    response: response === undefined ? null : responseOf(method, response, clean),
  };
}

function responseOf(method: string, response: SeenResponse, clean: Clean) {
  const isJson = headerValues(response, 'content-type').some((type) => /\bjson\b/i.test(type));
  const text = new TextDecoder().decode(response.bytes);
  return {
    status: response.status,
    url: printable(clean(visibleUrl(response.url)), 2_000),
    headers: response.headers.map(([name, value]) => [
      printable(clean(name), 200),
      shown.has(name) ? printable(clean(value), 1_000) : '***',
    ]),
    // Metadata is public; what else comes may be meant for one reader.
    document: method === 'GET' && isJson ? printable(clean(text), maxDocument) : null,
  };
}
