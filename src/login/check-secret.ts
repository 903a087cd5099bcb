import { ignoreFailure, isFailure } from '../core/failure.js';
import type { LoginAsked } from '../core/login-command.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import { printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import type { Discovery } from '../oauth/discover.js';
import { readCredential } from '../tokens/read-credential.js';
import { storedSecret } from '../tokens/registrations.js';
import { clientSecretUnbound, endpointsMoved } from './failures.js';
import type { BegunLogin, LoginPorts, PreregisteredClient } from './ports.js';

type Ports = Pick<LoginPorts, 'store' | 'stores' | 'index' | 'terminal'>;

interface Destination extends Pick<BegunLogin, 'kept' | 'meant'> {
  readonly server: string;
  readonly issuer: string;
  readonly logins: readonly LoginRecord[];
  readonly signal: AbortSignal;
}

/**
 * A secret, however it was given, goes to the authorization server that it was given for, or was used with: the one that
 * a server names may be anybody's. Where neither is known, a person is asked, and a script refused.
 * @throws Failure `client_secret_unbound`; the signal's reason
 */
export async function checkSecret(
  ports: Ports,
  client: PreregisteredClient | undefined,
  destination: Destination,
): Promise<void> {
  if (client?.secret === undefined || client.issuer !== undefined) return;
  const { clientId, secret } = client;
  if (await wasUsedThere(ports, { clientId, secret }, destination)) return;
  const { terminal } = ports;
  const { server, issuer, meant, signal } = destination;
  const refusal = clientSecretUnbound(meant, issuer, clientId);
  if (!terminal.interactive) throw refusal;
  terminal.tell(`${printable(server)} sends the login to ${printable(issuer)}, where this secret was never used.`);
  const question = `Send the secret of ${printable(clientId, 80)} to ${printable(issuer, 200)}?`;
  if (!(await saysYes(terminal, question, signal))) throw refusal;
}

async function wasUsedThere(
  ports: Ports,
  { clientId, secret }: { readonly clientId: string; readonly secret: Secret },
  { issuer, kept, logins }: Destination,
): Promise<boolean> {
  const isIt = (other: Secret | undefined) => other?.reveal() === secret.reveal();
  for (const registration of kept.filter((one) => one.clientId === clientId)) {
    const found = await storedSecret(ports, registration);
    if (found.kind === 'secret' && isIt(found.secret)) return true;
  }
  for (const login of logins.filter((one) => one.issuer === issuer && one.clientId === clientId)) {
    // What cannot be read proves nothing.
    if (isIt((await readCredential(ports, login).catch(ignoreFailure))?.clientSecret)) return true;
  }
  return false;
}

/**
 * Secrets go where those of the login at hand were sent: an issuer that now names a token endpoint of another origin
 * gets nothing until a person has said yes here. (Or has named that issuer by `--authorization-server`.)
 * @throws Failure `endpoints_moved`
 */
export async function checkMovedEndpoint(
  ports: Ports,
  discovery: Discovery,
  login: { readonly held: LoginRecord | undefined; readonly meant: LoginAsked; readonly signal: AbortSignal },
): Promise<void> {
  const { held, meant, signal } = login;
  const { issuer, tokenEndpoint, pushedAuthorizationRequestEndpoint: pushed } = discovery.authorizationServer;
  if (held?.issuer !== issuer) return;
  const before = await recordedEndpoint(ports, held);
  if (before === undefined) return;
  // A client's secret goes to both.
  const now = [tokenEndpoint, pushed ?? tokenEndpoint].find((url) => new URL(before).origin !== new URL(url).origin);
  if (now === undefined) return;
  const moved = endpointsMoved(meant, { issuer, before, now });
  if (!ports.terminal.interactive) throw moved;
  ports.terminal.tell(moved.message);
  if (!(await saysYes(ports.terminal, 'Log in there all the same?', signal))) throw moved;
}

/** Undefined where there is none to be read: then nothing is known to have moved, and nothing held is sent. */
async function recordedEndpoint(ports: Ports, held: LoginRecord): Promise<string | undefined> {
  try {
    return (await readCredential(ports, held)).tokenEndpoint;
  } catch (error) {
    // A login would replace what it does not understand.
    if (!isFailure(error) || error.code === 'credential_newer') throw error;
    return undefined;
  }
}
