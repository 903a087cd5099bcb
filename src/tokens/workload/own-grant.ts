import type { Failure } from '../../core/failure.js';
import { isFailure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import type { TokenGrant } from '../../oauth/token.js';
import { type AssertionClaims, checkAssertion } from '../../oauth/workload/assertion.js';
import { assertionRefused, assertionUnusable, platformRefusedTooOften } from '../../oauth/workload/failures.js';
import { type KeptAssertion, sourceInWords } from '../../stores/assertions.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import type { StorePorts } from '../../stores/ports.js';

/** Refusals of a platform's tokens within an hour, after which a login is not renewed by itself. */
export const maxPlatformRefusals = 10;

/** What they are counted by; a new login starts anew. */
export const platformRefusals = ({ key }: { readonly key: string }): string => `refused platform ${key}`;

/** Is another one's word what this login is refreshed by: a platform's, or a company's provider's? */
export function isByOthersWord({ assertion, provider }: StoredCredential): boolean {
  return assertion !== undefined || provider !== undefined;
}

/**
 * May another one's word be asked for, or was it refused too often within the hour? False where the token at hand lives on.
 * @throws Failure `assertion_refused`
 */
export async function mayAskByPlatform(
  { attempts }: Pick<StorePorts, 'attempts'>,
  login: LoginRecord,
  held: StoredCredential,
  lives: boolean,
): Promise<boolean> {
  if (!isByOthersWord(held)) return true;
  const isAllowed = await attempts.allows(platformRefusals(login), maxPlatformRefusals);
  if (isAllowed || lives) return isAllowed;
  if (held.provider === undefined) throw platformRefusedTooOften(login, maxPlatformRefusals);
  const { providerRefusedTooOften } = await import('../../oauth/company/failures.js');
  throw providerRefusedTooOften(login, maxPlatformRefusals);
}

/** A client's own request for a token: as whom, and by which grant. */
export interface OwnRequest {
  readonly client: ClientAuthentication;
  readonly grant: TokenGrant;
  /** Makes a refusal say whose token it was. */
  readonly explain: (failure: Failure) => Failure;
}

type Ports = Pick<StorePorts, 'assertions'> & Pick<CorePorts, 'clock'>;

/**
 * What a client that is nobody's but its own asks with: its secret or key, or the platform's token, which is read anew.
 * @throws Failure `assertion_unreadable`, `assertion_unusable`; the signal's reason
 */
export async function ownRequest(
  ports: Ports,
  client: ClientAuthentication,
  by: {
    readonly assertion: KeptAssertion | undefined;
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<OwnRequest> {
  const { assertion: kept, scopes, signal } = by;
  if (kept === undefined) return { client, grant: { client: 'itself', scopes }, explain: (failure) => failure };
  const { token, claims } = await readAssertion(ports, kept, signal);
  const explain = (failure: Failure) => explained(failure, kept, claims);
  if (kept.use === 'grant') return { client, grant: { assertion: token, scopes }, explain };
  return { client: { ...client, assertion: token }, grant: { client: 'itself', scopes }, explain };
}

/** The client with what it authenticates with now, for requests that are none for a token. @throws as `ownRequest` */
export async function provenClient(
  ports: Ports,
  client: ClientAuthentication,
  kept: KeptAssertion | undefined,
  signal: AbortSignal,
): Promise<ClientAuthentication> {
  if (kept?.use !== 'client') return client;
  const { token } = await readAssertion(ports, kept, signal);
  return { ...client, assertion: token };
}

async function readAssertion({ assertions, clock }: Ports, { source, audience }: KeptAssertion, signal: AbortSignal) {
  const token = await assertions.read(source, signal);
  const checked = checkAssertion(token, { audience, now: clock.now() });
  if (!checked.ok) throw assertionUnusable(sourceInWords(source), checked, audience);
  return { token, claims: checked.claims };
}

/** Refusals of who asks; others say what is wrong themselves. */
function explained(failure: Failure, { source }: KeptAssertion, claims: AssertionClaims): Failure {
  return isFailure(failure, 'invalid_client', 'invalid_grant', 'unauthorized_client', 'grant_refused')
    ? assertionRefused(failure, sourceInWords(source), claims)
    : failure;
}
