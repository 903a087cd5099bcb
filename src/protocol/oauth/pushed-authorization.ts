import type { ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import type { OutboundDoor } from '../../ports.js';
import { isVscharText } from '../../primitives/characters.js';
import { asObject, parseJson } from '../../primitives/json.js';
import { authenticateClient } from './client-authentication.js';
import { type EndpointRequest, sendForm, type TokenAnswer } from './token-request.js';
import type { RefusedTokenRequest, TransientTokenFailure } from './token-response.js';

export interface PushedRequest {
  /** Stands for the request at the authorization endpoint, once. */
  readonly requestUri: string;
  /** Milliseconds for which it can be opened. */
  readonly lifetimeMs: number;
}

export type PushJudgement =
  | { readonly ok: true; readonly pushed: PushedRequest }
  | RefusedTokenRequest
  | TransientTokenFailure
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

const longestRequestUri = 4096;

/**
 * Pushes an authorization request (RFC 9126 section 2.1) with the client's authentication, as at the token endpoint.
 * Sent once, never redirected.
 * @throws Failure of the door
 */
export async function pushAuthorizationRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly parameters: readonly (readonly [string, string])[] },
): Promise<PushJudgement> {
  const {
    allowInsecureRequests,
    customFetch,
    processPushedAuthorizationResponse,
    pushedAuthorizationRequest,
  } = await import('oauth4webapi');
  const { endpoint, issuer, client } = request;
  const server = { issuer, pushed_authorization_request_endpoint: endpoint };
  const self = { client_id: client.clientId };
  const authentication: ClientAuth = async (_server, _client, form, headers) => {
    for (const [name, value] of await authenticateClient(client, issuer, form)) headers.set(name, value);
  };
  let answer: TokenAnswer | undefined;
  const response = await pushedAuthorizationRequest(
    server,
    self,
    authentication,
    request.parameters.map((parameter) => [...parameter]),
    {
      // The door holds plain http to loopback, as for every endpoint.
      [allowInsecureRequests]: true,
      [customFetch]: async (_url: string, { body, headers }: CustomFetchOptions<'POST', URLSearchParams>) => {
        answer = await sendForm(door, request, body.toString(), Object.entries(headers));
        return new Response(answer.bytes.length === 0 ? null : new Uint8Array(answer.bytes), {
          // RFC 9126 says 201; servers that say 200 mean the same.
          status: answer.status === 200 ? 201 : answer.status,
          headers: { 'content-type': 'application/json' },
        });
      },
    },
  );
  const refused = answer && refusalOf(answer);
  if (refused !== undefined) return refused;
  try {
    const { request_uri: requestUri, expires_in: seconds } = await processPushedAuthorizationResponse(
      server,
      self,
      response,
    );
    return requestUri.length <= longestRequestUri && isVscharText(requestUri)
      ? { ok: true, pushed: { requestUri, lifetimeMs: seconds * 1000 } }
      : { ok: false, problem: 'unusable', why: 'its request_uri is too long or has forbidden characters' };
  } catch {
    return { ok: false, problem: 'unusable', why: 'it has no usable request_uri and expires_in' };
  }
}

/** What a status that is none of success means (RFC 9126 section 2.3); undefined for the others. */
function refusalOf({ status, bytes }: TokenAnswer): RefusedTokenRequest | TransientTokenFailure | undefined {
  if (status === 200 || status === 201) return undefined;
  if (status >= 500 || status === 429 || status === 408) {
    return { ok: false, problem: 'transient', status, retryAfterMs: undefined };
  }
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const [error, said] = [text(object?.['error']), text(object?.['error_description'])];
  return { ok: false, problem: 'refused', status, error, said };
}
