import { endpointsMoved } from '../../errors/discovery.js';
import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Discovery } from '../discovery/discover.js';
import { readForIssuer } from '../token/read-credential.js';

/**
 * Where the secrets of the login at hand were sent is where they go: an issuer that now names a token endpoint of
 * another origin gets nothing until a person has named that issuer (`--authorization-server`), or said yes here.
 * @throws Failure `endpoints_moved`
 */
export async function checkMovedEndpoint(
  ports: Pick<Ports, 'store' | 'index' | 'terminal' | 'journal'>,
  discovery: Discovery,
  request: {
    readonly held: LoginRecord | undefined;
    readonly wanted: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { held, wanted, signal } = request;
  const { issuer, tokenEndpoint, pushedAuthorizationRequestEndpoint: pushed } = discovery.authorizationServer;
  if (held === undefined || held.issuer !== issuer || wanted !== undefined) {
    return;
  }
  const before = await recordedEndpoint(ports, held);
  // A client's secret goes to both.
  const now = [tokenEndpoint, pushed ?? tokenEndpoint].find(
    (url) => before !== undefined && new URL(before).origin !== new URL(url).origin,
  );
  if (before === undefined || now === undefined) {
    return;
  }
  const moved = endpointsMoved(held, { issuer, before, now }, ports.journal.steps);
  if (!ports.terminal.interactive) {
    throw moved;
  }
  ports.terminal.tell(moved.message);
  const answer = await ports.terminal.ask('Log in there all the same? [y/N] ', { hidden: false, signal });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) {
    throw moved;
  }
}

/** Undefined where there is none to be read: then nothing is known to have moved, and nothing held is sent. */
async function recordedEndpoint(
  ports: Pick<Ports, 'store' | 'index'>,
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
