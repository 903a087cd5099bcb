import type { CommandExit } from '../core/command.js';
import { defaultAccount, type RegistrationWay, storeInWords } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import { readLoginTarget } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import type { DocumentArguments } from './client-metadata.options.js';
import type { ClientMetadataWorld } from './ports.js';
import { type ShownIdentity, showIdentity } from './show-login.js';

/** `client-metadata show <server>`: how a login there would name itself, and why. */
export async function show(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal, out } = world;
  if (args.target === undefined) {
    throw usageWrong('show needs a server: its URL, or the name of a login.', 'postern client-metadata --help');
  }
  const { server, account } = await readLoginTarget(world, args.target, defaultAccount);
  const configuration = await world.configuration();
  const { logins } = await world.index.read();
  const held = logins.find((login) => login.server === server && login.account === account);
  const shown = await showIdentity(world, {
    server,
    clients: configuration.clients,
    metadataUrl: args.url ?? documentOf(configuration.clientMetadataUrl ?? world.clientMetadataUrl, held),
    redirectPort: configuration.redirectPort,
    signal,
  });
  world.progress.end();
  if (world.json) await out.json({ ...shown, clientId: shown.clientId ?? null });
  else await out.line(linesOf(shown).join('\n'));
  return 0;
}

const wayInWords: Readonly<Record<RegistrationWay, string>> = {
  preregistered: 'registered by hand',
  metadata: 'client ID metadata document',
  dynamic: 'dynamic registration',
  ask: 'asking the person at the terminal',
};

function linesOf(shown: ShownIdentity): readonly string[] {
  const { way, why, passedOver, clientId, redirectUri, authMethod, store } = shown;
  const anyPort = new URL(redirectUri).port === '';
  const rows: readonly (readonly [string, string])[] = [
    ['server', shown.server],
    ['issuer', shown.issuer],
    ['way', `${wayInWords[way]}: ${why}`],
    ...passedOver.map((one) => ['not', `${wayInWords[one.way]}: ${one.why}`] as const),
    ['client', clientId ?? (way === 'dynamic' ? 'registered at the login' : 'asked for at the login')],
    ['redirect', `${redirectUri}${anyPort ? ', with the port of the moment (RFC 8252 section 7.3)' : ''}`],
    ...(authMethod === undefined ? [] : ([['proof', proofOf(authMethod, shown.issuer)]] as const)),
    ...(store === undefined ? [] : ([['secret in', storeInWords(store)]] as const)),
  ];
  return rows.map(([name, text]) => `${name.padEnd(10)}${printable(text, 600)}`);
}

function proofOf(method: NonNullable<ShownIdentity['authMethod']>, issuer: string): string {
  if (method === 'none') return 'none: a public client, and PKCE';
  return method === 'private_key_jwt' ? `${method}: an assertion for ${issuer} alone, good for a minute` : method;
}
