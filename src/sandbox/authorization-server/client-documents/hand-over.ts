import { decodeProtectedHeader } from 'jose';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { forgetOldest } from '../../one-time.js';
import type { ClientDocuments } from './client-documents.js';

/** The two places at which oidc-provider lets others decide about documents. */
export interface DocumentHooks {
  readonly allowFetch: (context: KoaContextWithOIDC | undefined, clientId: string) => Promise<boolean>;
  readonly fetch: NonNullable<Configuration['fetch']>;
}

const maxWaiting = 100;

/**
 * oidc-provider asks whether it may fetch a document, and then fetches. Here the first question is answered
 * with the document at hand, or with an error that says what is wrong with it, and the second hands it over:
 * nothing is ever fetched that did not pass the first, neither keys nor anything else that a client names.
 * What was handed over stays, in case two requests share it, but is never used without being asked for anew.
 */
export function documentHooks(documents: ClientDocuments): DocumentHooks {
  const ready = new Map<string, string>();
  // To say no, oidc-provider asks once more: the same request is not worth another fetch.
  const refused = new WeakMap<object, unknown>();
  return {
    allowFetch: async (context, clientId) => {
      // Our own pages ask outside of a request to oidc-provider.
      if (context !== undefined && refused.has(context)) throw refused.get(context);
      const document = await documents.load(clientId, keyUsed(context)).catch((error: unknown) => {
        if (context !== undefined) refused.set(context, error);
        throw error;
      });
      ready.delete(clientId);
      ready.set(clientId, document);
      forgetOldest(ready, maxWaiting);
      return true;
    },
    fetch: async (url) => {
      const address = url instanceof Request ? url.url : String(url);
      const document = ready.get(address);
      if (document === undefined) throw new Error('nothing else is fetched');
      return new Response(document, { headers: { 'content-type': 'application/json' } });
    },
  };
}

/** The key that a client assertion in the request says it was signed with (RFC 7523, RFC 7515 section 4.1.4). */
function keyUsed(context: KoaContextWithOIDC | undefined): string | undefined {
  const assertion = context?.oidc?.params?.['client_assertion'];
  if (typeof assertion !== 'string') return undefined;
  try {
    return decodeProtectedHeader(assertion).kid;
  } catch {
    return undefined;
  }
}
