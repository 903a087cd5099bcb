import type { Ports } from '../../ports.js';
import { isVscharText } from '../../primitives/characters.js';
import { printable } from '../../primitives/printable.js';
import { Secret } from '../../primitives/secret.js';

/**
 * Asks the person for a client identifier after showing the exact redirect URI to register (rule 4.6, step 4).
 * Undefined when the person gives none.
 */
export async function askForClient(
  ports: Pick<Ports, 'terminal'>,
  request: { readonly issuer: string; readonly redirectUri: string; readonly signal: AbortSignal },
): Promise<{ readonly clientId: string; readonly secret: Secret | undefined } | undefined> {
  const { terminal } = ports;
  const { signal } = request;
  terminal.tell(
    `The authorization server ${printable(request.issuer)} wants a client that is registered by hand.`,
  );
  terminal.tell('Register a native (desktop) client there with exactly this redirect URI:');
  terminal.tell(`  ${request.redirectUri}`);
  const clientId = (await terminal.ask('Client identifier: ', { hidden: false, signal }))?.trim();
  if (clientId === undefined || clientId === '' || !isVscharText(clientId)) {
    return undefined;
  }
  const secret = (
    await terminal.ask('Client secret (empty if it has none): ', { hidden: true, signal })
  )?.trim();
  return { clientId, secret: secret === undefined || secret === '' ? undefined : new Secret(secret) };
}
