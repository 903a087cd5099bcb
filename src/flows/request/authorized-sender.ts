import { insufficientScope, scopeRefused, tokenNotForUrl } from '../../errors/call.js';
import { Failure } from '../../errors/failure.js';
import { tokenRefusedByServer } from '../../errors/token.js';
import { bearerChallenge } from '../../primitives/bearer-challenge.js';
import type { OutboundRequest, OutboundResponse } from '../../primitives/outbound.js';
import type { LoginRecord } from '../../primitives/records.js';
import { attaches } from '../../primitives/resource.js';
import { parseScope, scopesMissing } from '../../primitives/scope.js';
import type { Secret } from '../../primitives/secret.js';
import type { TokenPorts } from '../token/token-request.js';
import { defaultMinLifeMs, validToken } from '../token/valid-token.js';

/** At most so many step-ups for one operation; then the refusal is permanent (rule 5.6). */
const mostStepUps = 3;

/** A request to the protected server, before the token is put on it. */
export type ProtectedRequest = Omit<OutboundRequest, 'namedBy' | 'redirects'>;

/**
 * Gets a better login when the one at hand does not do: `scopes` are those the server wants beside the held ones,
 * none when the login is no longer valid. Absent: nobody may be asked.
 */
export type Relogin = (login: LoginRecord, scopes: readonly string[]) => Promise<LoginRecord>;

export interface AuthorizedSender {
  /**
   * Sends with `Authorization: Bearer`. On 401: one refresh and one retry; on 403 `insufficient_scope`: step-up, when
   * allowed, at most three times. Only a body that can be sent again is; the answer is the caller's to dispose.
   * @throws Failure `token_not_for_url`, `login_expired`, `token_refused`, `insufficient_scope`, `scope_refused`, or the door's
   */
  send(request: ProtectedRequest): Promise<OutboundResponse>;
}

/** A sender for one login. Its token goes to this login's server and below it, and nowhere else. */
export function createAuthorizedSender(
  ports: TokenPorts,
  options: {
    readonly login: LoginRecord;
    readonly relogin: Relogin | undefined;
    readonly signal: AbortSignal;
  },
): AuthorizedSender {
  let { login } = options;
  const { relogin, signal } = options;

  const token = async (rejected: Secret | undefined) => {
    try {
      return await validToken(ports, { login, minLifeMs: defaultMinLifeMs, rejected, signal });
    } catch (error) {
      if (relogin === undefined || !(error instanceof Failure) || error.code !== 'login_expired') {
        throw error;
      }
      login = await relogin(login, []);
      return validToken(ports, { login, minLifeMs: 0, rejected, signal });
    }
  };

  const send = async (request: ProtectedRequest): Promise<OutboundResponse> => {
    if (!attaches(login.server, request.url)) {
      throw tokenNotForUrl(login.server, request.url);
    }
    const replayable = typeof request.body !== 'object' || request.body instanceof Uint8Array;
    let held = await token(undefined);
    let refreshed = false;
    let stepUps = 0;
    for (;;) {
      const response = await ports.door.send({
        ...withBearer(request, held.accessToken),
        namedBy: 'person',
        redirects: 'report',
      });
      const wants = response.status === 403 ? missingScope(response) : undefined;
      if (response.status !== 401 && wants === undefined) {
        return response;
      }
      await response[Symbol.asyncDispose]();
      if (wants !== undefined) {
        const added = scopesMissing(login.scopes, wants.scopes);
        if (added.length === 0 || stepUps >= mostStepUps) {
          throw scopeRefused(login.server, wants.scopes);
        }
        if (relogin === undefined || !replayable) {
          throw insufficientScope(login.server, added, wants.said);
        }
        stepUps += 1;
        login = await relogin(login, wants.scopes);
        held = await token(undefined);
        continue;
      }
      if (refreshed || !replayable) {
        throw tokenRefusedByServer(login.server);
      }
      refreshed = true;
      held = await token(held.accessToken);
    }
  };
  return { send };
}

function withBearer(request: ProtectedRequest, accessToken: Secret): ProtectedRequest {
  const own = (request.headers ?? []).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: [...own, ['authorization', `Bearer ${accessToken.reveal()}`]] };
}

/** The scopes that a 403 asks for; undefined when it is a plain refusal (RFC 6750 section 3.1). */
function missingScope(
  response: OutboundResponse,
): { readonly scopes: readonly string[]; readonly said: string } | undefined {
  const values = response.headers.filter(([name]) => name === 'www-authenticate').map(([, value]) => value);
  const challenge = bearerChallenge(values);
  if (
    challenge.kind !== 'bearer' ||
    challenge.error !== 'insufficient_scope' ||
    challenge.scope === undefined
  ) {
    return undefined;
  }
  const parsed = parseScope(challenge.scope);
  return parsed.ok && parsed.scopes.length > 0
    ? { scopes: parsed.scopes, said: challenge.errorDescription ?? '' }
    : undefined;
}
