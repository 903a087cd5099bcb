import { authorizationServerChanged, authorizationServerNotNamed } from '../../errors/discovery.js';
import type { Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import { printable } from '../../primitives/printable.js';

export interface AuthorizationServerChoice {
  readonly named: readonly string[];
  /** `--authorization-server`: the person's word. */
  readonly wanted: string | undefined;
  /** The login that exists for this server and account. */
  readonly held: (LoginMeant & { readonly issuer: string }) | undefined;
  /** Issuers with a login or a pre-registered client, most telling first. */
  readonly known: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Chooses an authorization server (RFC 9728 section 7.6): the person's option; else the one of the login at hand,
 * which a server cannot change by itself; else one that is known here; else the person is asked; else the first.
 * @throws Failure `authorization_server_changed`, `authorization_server_unknown`
 */
export async function chooseAuthorizationServer(
  ports: Pick<Ports, 'terminal' | 'journal'>,
  choice: AuthorizationServerChoice,
): Promise<string> {
  const chosen = await pick(ports, choice);
  ports.journal.record({
    name: 'authorization-server-choice',
    asked: `${choice.named.length} named`,
    came: chosen,
    rule: 'R-2.1b',
    verdict: 'pass',
  });
  return chosen;
}

async function pick(
  ports: Pick<Ports, 'terminal' | 'journal'>,
  choice: AuthorizationServerChoice,
): Promise<string> {
  const { named, wanted, held, known } = choice;
  if (wanted !== undefined) {
    if (!named.includes(wanted)) {
      throw authorizationServerNotNamed(wanted, named, ports.journal.steps);
    }
    return wanted;
  }
  if (held !== undefined) {
    if (!named.includes(held.issuer)) {
      throw authorizationServerChanged(held, named, ports.journal.steps);
    }
    return held.issuer;
  }
  const familiar = known.find((issuer) => named.includes(issuer));
  const [first] = named;
  if (familiar !== undefined) {
    return familiar;
  }
  if (first === undefined) {
    throw new Error('a judged document names at least one authorization server');
  }
  if (named.length === 1 || !ports.terminal.interactive) {
    return first;
  }
  const labels = named.map((issuer) => printable(issuer));
  const index = await ports.terminal.choose('Log in at which authorization server?', labels, choice.signal);
  return named[index] ?? first;
}
