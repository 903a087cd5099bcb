import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { Discovery } from '../discovery/discover.js';
import type { BegunLogin } from './begin-login.js';

/** Who asks for what, in the terminal, before any browser is or any code is shown. */
export function announce(
  ports: Pick<Ports, 'terminal'>,
  discovery: Discovery,
  asked: {
    readonly scopes: readonly string[];
    readonly isNew: BegunLogin['isNew'];
  },
): void {
  const { terminal } = ports;
  terminal.tell(`Logging in to ${printable(discovery.server)}`);
  terminal.tell(`at the authorization server ${printable(discovery.authorizationServer.issuer)}`);
  const news = newness(asked.isNew);
  if (news !== undefined) terminal.tell(news);
  const all = printable(asked.scopes.join(' '));
  terminal.tell(all === '' ? 'with the scopes it gives by default' : `with scope ${all}`);
  if (asked.isNew.scopes.length > 0) {
    terminal.tell(`New is: ${printable(asked.isNew.scopes.join(' '))}`);
  }
  for (const warning of discovery.warnings) {
    terminal.tell(`Note: ${printable(warning, 600)}`);
  }
}

/** The moment to look twice at an address that came from somewhere. */
function newness({ server, issuer }: Pick<BegunLogin['isNew'], 'server' | 'issuer'>): string | undefined {
  if (server) {
    return `${issuer ? 'Both are new here' : 'The server is new here'}: check that the address is the one you mean.`;
  }
  return issuer ? 'The authorization server is new here.' : undefined;
}
