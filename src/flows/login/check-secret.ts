import { Failure } from '../../errors/failure.js';
import { clientSecretUnbound } from '../../errors/registration.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord, RegistrationRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { readCredential } from '../token/read-credential.js';
import { storedSecret } from './registrations.js';

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
  ports: Pick<Ports, 'store' | 'stores' | 'index' | 'terminal' | 'journal'>,
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
  const refused = () => clientSecretUnbound(server, issuer, ports.journal.steps);
  if (!terminal.interactive) throw refused();
  terminal.tell(
    `${printable(server)} sends the login to ${printable(issuer)}. POSTERN_CLIENT_SECRET_FILE does not say for which authorization server its secret is.`,
  );
  const question = `Send the secret of ${printable(client.clientId, 80)} to ${printable(issuer, 200)}? [y/N] `;
  const answer = await terminal.ask(question, { hidden: false, signal });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) throw refused();
}

async function wasUsedThere(
  ports: Pick<Ports, 'store' | 'stores' | 'index'>,
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
