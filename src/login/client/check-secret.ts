import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord, RegistrationRecord } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import type { Discovery } from '../../oauth/discover.js';
import type { StorePorts } from '../../stores/ports.js';
import { readCredential, readForIssuer } from '../../tokens/read-credential.js';
import { storedSecret } from '../../tokens/registrations.js';
import { endpointsMoved } from '../failures.js';
import { clientSecretUnbound } from './failures.js';

/** A client's secret that a variable gave, without the authorization server that it is for. */
export interface UnboundSecret {
  readonly clientId: string;
  readonly secret: Secret;
}

/**
 * A secret goes to the authorization server that it was given for, or was used with: the one that a server names may be
 * anybody's. Where neither is known, a person is asked, and a script refused.
 * @throws Failure `client_secret_unbound`; the signal's reason
 */
export async function checkSecret(
  ports: Pick<StorePorts, 'store' | 'stores' | 'index'> & Pick<CorePorts, 'terminal' | 'journal'>,
  client: UnboundSecret,
  about: {
    readonly server: string;
    readonly issuer: string;
    /** What was registered at this issuer before. */
    readonly kept: readonly RegistrationRecord[];
    /** The login that is about to be replaced. */
    readonly held: LoginRecord | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { server, issuer, signal } = about;
  if (await wasUsedThere(ports, client, about)) return;
  const { terminal } = ports;
  const refused = () => clientSecretUnbound(server, issuer);
  if (!terminal.interactive) throw refused();
  terminal.tell(
    `${printable(server)} sends the login to ${printable(issuer)}. POSTERN_CLIENT_SECRET_FILE does not say for which authorization server its secret is.`,
  );
  const question = `Send the secret of ${printable(client.clientId, 80)} to ${printable(issuer, 200)}? [y/N] `;
  const answer = await terminal.ask(question, { hidden: false, signal });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) throw refused();
}

async function wasUsedThere(
  ports: Pick<StorePorts, 'store' | 'stores' | 'index'>,
  { clientId, secret }: UnboundSecret,
  { issuer, kept, held }: Parameters<typeof checkSecret>[2],
): Promise<boolean> {
  const isIt = (other: Secret | undefined) => other?.reveal() === secret.reveal();
  for (const registration of kept.filter((one) => one.clientId === clientId && one.hasSecret)) {
    const found = await storedSecret(ports, registration);
    if (found.kind === 'secret' && isIt(found.secret)) return true;
  }
  if (held?.issuer !== issuer || held.clientId !== clientId) return false;
  try {
    return isIt((await readCredential(ports, held)).clientSecret);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return false; // what cannot be read proves nothing
  }
}

/**
 * Where the secrets of the login at hand were sent is where they go: an issuer that now names a token endpoint of
 * another origin gets nothing until a person has named that issuer (`--authorization-server`), or said yes here.
 * @throws Failure `endpoints_moved`
 */
export async function checkMovedEndpoint(
  ports: Pick<StorePorts, 'store' | 'index'> & Pick<CorePorts, 'terminal' | 'journal'>,
  discovery: Discovery,
  request: {
    readonly held: LoginRecord | undefined;
    readonly wanted: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { held, wanted, signal } = request;
  const { issuer, tokenEndpoint, pushedAuthorizationRequestEndpoint: pushed } = discovery.authorizationServer;
  if (held === undefined || held.issuer !== issuer || wanted !== undefined) return;
  const before = await recordedEndpoint(ports, held);
  // A client's secret goes to both.
  const now = [tokenEndpoint, pushed ?? tokenEndpoint].find(
    (url) => before !== undefined && new URL(before).origin !== new URL(url).origin,
  );
  if (before === undefined || now === undefined) return;
  const moved = endpointsMoved(held, { issuer, before, now });
  if (!ports.terminal.interactive) throw moved;
  ports.terminal.tell(moved.message);
  const answer = await ports.terminal.ask('Log in there all the same? [y/N] ', { hidden: false, signal });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) throw moved;
}

/** Undefined where there is none to be read: then nothing is known to have moved, and nothing held is sent. */
async function recordedEndpoint(
  ports: Pick<StorePorts, 'store' | 'index'>,
  held: LoginRecord,
): Promise<string | undefined> {
  try {
    return (await readForIssuer(ports, held)).tokenEndpoint;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'credential_newer') throw error; // a login would replace what it does not understand
    return undefined;
  }
}
