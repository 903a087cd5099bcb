import { Secret } from '../../core/secret.js';
import type { HttpClient } from '../../http/request.js';
import {
  anyClient,
  anyServer,
  callTo,
  type EndpointRequest,
  type FailedRequest,
  unusable,
  validateResponse,
} from '../engine.js';
import { tidyToken } from '../leniency.js';
import type { AuthorizationServer } from '../server-metadata.js';
import { withScope } from '../token.js';
import { type CheckedAssertion, checkAssertion, jwtBearerGrant } from '../workload/assertion.js';

/** RFC 8693 section 2.1. */
const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

const idJagType = 'urn:ietf:params:oauth:token-type:id-jag';

const idJagProfile = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** What is shown to the provider: an ID token, or its refresh token (RFC 8693 section 3). */
export type SubjectType = 'id_token' | 'refresh_token';

/** Whom an identity assertion grant (ID-JAG) is for, and what: each has to stand in it as it is here. */
export interface IdJagTarget {
  /** The issuer of the server's authorization server. */
  readonly audience: string;
  /** The server; undefined: not named, by a person's choice. */
  readonly resource: string | undefined;
  /** Of the client at that authorization server. */
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export type IdJagResult = { readonly ok: true; readonly idJag: Secret } | FailedRequest;

/**
 * Exchanges what a company's provider has issued for an ID-JAG (RFC 8693,
 * draft-ietf-oauth-identity-assertion-authz-grant section 4.3): a grant for one client at one authorization server.
 * @throws Failure of the HTTP client
 */
export async function requestIdJag(
  http: HttpClient,
  request: EndpointRequest & {
    readonly subject: { readonly token: Secret; readonly type: SubjectType };
    readonly target: IdJagTarget;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  },
): Promise<IdJagResult> {
  const { subject, target, now } = request;
  const { oauth, as, client, authentication, options } = await callTo('token_endpoint', http, request);
  const response = await oauth.genericTokenEndpointRequest(
    as,
    client,
    authentication,
    tokenExchangeGrant,
    {
      requested_token_type: idJagType,
      subject_token: subject.token.reveal(),
      subject_token_type: `urn:ietf:params:oauth:token-type:${subject.type}`,
      audience: target.audience,
      ...withScope(target),
    },
    options,
  );
  return await validateIdJag(response, { ...target, issuer: request.issuer, now: now() });
}

/** Validates the response (RFC 8693 section 2.2.1), and that what it brings is what was asked for. */
async function validateIdJag(response: Response, expected: ExpectedIdJag): Promise<IdJagResult> {
  let type: unknown;
  const validated = await validateResponse(response, {
    success: 200,
    now: expected.now,
    repair: (object) => {
      type = object['issued_token_type'];
      return tidyToken(object);
    },
    // No access token: `N_A` is its type there.
    process: (oauth, tidy) =>
      oauth.processGenericTokenEndpointResponse(anyServer, anyClient, tidy, {
        recognizedTokenTypes: { n_a: () => undefined },
      }),
  });
  if (!validated.ok) return validated;
  if (type !== idJagType) return unusable('what it issued is no ID-JAG (issued_token_type)');
  const idJag = new Secret(validated.body.access_token);
  const why = idJagProblem(idJag, expected);
  return why === undefined ? { ok: true, idJag } : unusable(why);
}

interface ExpectedIdJag extends Omit<IdJagTarget, 'scopes'> {
  /** The provider. */
  readonly issuer: string;
  readonly now: number;
}

/**
 * Why an ID-JAG is not sent: it is none, not signed, ended, or not of this provider for this client at this authorization
 * server and for this server. Its signature is the authorization server's to verify. Ends a sentence; quotes nothing of it.
 */
export function idJagProblem(idJag: Secret, expected: ExpectedIdJag): string | undefined {
  const { issuer, audience, resource, clientId, now } = expected;
  const checked = checkAssertion(idJag, { audience, now });
  const why = checked.ok ? claimsProblem(checked, { issuer, resource, clientId }) : checked.why;
  return why && `its ID-JAG cannot be used: ${why}`;
}

function claimsProblem(
  { header: { typ }, claims }: Extract<CheckedAssertion, { ok: true }>,
  { issuer, resource, clientId }: Pick<ExpectedIdJag, 'issuer' | 'resource' | 'clientId'>,
): string | undefined {
  const { iss, sub, client_id: client, resource: named } = claims;
  const isTyped = typeof typ === 'string' && /^(?:application\/)?oauth-id-jag\+jwt$/i.test(typ);
  if (!isTyped) return 'its type (typ) is not oauth-id-jag+jwt';
  if (iss !== issuer) return 'it is of another issuer';
  if (client !== clientId) return 'it is for another client';
  const isFor = resource === undefined || JSON.stringify([named].flat()) === JSON.stringify([resource]);
  if (!isFor) return 'it is for another server (resource)';
  return typeof sub === 'string' && sub !== '' ? undefined : 'it names nobody';
}

/** What of an authorization server's metadata says that it takes no ID-JAG; undefined: it may. */
export function missingForIdJag({ grantTypes, grantProfiles }: AuthorizationServer): string | undefined {
  if (grantProfiles?.includes(idJagProfile) || grantTypes === undefined) return undefined;
  return grantTypes.includes(jwtBearerGrant) ? undefined : `the grant type "${jwtBearerGrant}"`;
}

/** What of a provider's metadata says that it issues no ID-JAG; undefined: it may. */
export function missingForExchange({ grantTypes, exchangedTypes }: AuthorizationServer): string | undefined {
  if (exchangedTypes?.includes(idJagType)) return undefined;
  if (exchangedTypes !== undefined) return 'the token type id-jag (identity_chaining_requested_token_types_supported)';
  const isListed = grantTypes === undefined || grantTypes.includes(tokenExchangeGrant);
  return isListed ? undefined : `the grant type "${tokenExchangeGrant}"`;
}
