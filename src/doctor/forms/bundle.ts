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
    requests: exchanges.map(requestOf),
  };
}

function requestOf({ method, url, ms, response, failure }: SeenExchange) {
  return {
    method,
    url: printable(visibleUrl(url), 2_000),
    ms,
    failure: failure === undefined ? null : { code: failure.code, message: printable(failure.message, 1_000) },
    response: response === undefined ? null : responseOf(method, response),
  };
}

function responseOf(method: string, response: SeenResponse) {
  const isJson = headerValues(response, 'content-type').some((type) => /\bjson\b/i.test(type));
  const text = new TextDecoder().decode(response.bytes);
  return {
    status: response.status,
    url: printable(visibleUrl(response.url), 2_000),
    headers: response.headers.map(([name, value]) => [
      printable(name, 200),
      shown.has(name) ? printable(value, 1_000) : '***',
    ]),
    // Metadata is public; what else comes may be meant for one reader.
    document: method === 'GET' && isJson ? printable(text, maxDocument) : null,
  };
}
