import type { SecretHeader } from '../core/secret.js';
import { withSecretHeaders } from '../core/text/secret-headers.js';
import { originOf, splitUrl } from '../core/url.js';
import type { HttpClient } from '../http/request.js';

/** What a protected server wants with each request, beside a token. */
export interface ServerHeaders {
  /** Its canonical URL. */
  readonly server: string;
  readonly headers: readonly SecretHeader[];
}

/**
 * The HTTP client, putting these headers on requests to the server's very address, whose redirects nobody follows. All
 * others leave as they are: those to an authorization server, to documents, to any other address.
 */
export function httpWithHeaders(http: HttpClient, { server, headers }: ServerHeaders): HttpClient {
  if (headers.length === 0) return http;
  return {
    check: (target) => http.check(target),
    send: (request) => {
      const isServers = request.url === server && request.namedBy === 'person' && request.redirects === 'report';
      return http.send(
        isServers ? { ...request, headers: withSecretHeaders(request.headers ?? [], headers) } : request,
      );
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/**
 * The headers for a document about the server: none, unless it is on the server's own origin. A gateway that wants its key
 * for everything there has it already; it gets them once the document was refused without.
 */
export function headersForDocument(url: string, wanted: ServerHeaders | undefined): readonly SecretHeader[] {
  if (wanted === undefined) return [];
  const [ofDocument, ofServer] = [url, wanted.server].map((text) => {
    const parts = splitUrl(text);
    return parts === undefined ? undefined : originOf(parts);
  });
  return ofDocument !== undefined && ofDocument === ofServer ? wanted.headers : [];
}
