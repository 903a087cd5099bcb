import type { CommandExit } from '../core/command.js';
import type { ConfiguredClient } from '../core/configuration/configured-lists.js';
import { redirectUriText, usualRedirectUri } from '../core/configuration/redirect-uri.js';
import { wordMissing } from '../core/failures.js';
import { type ClientAuthMethod, defaultAccount, type RegistrationWay, storeInWords } from '../core/records.js';
import { readerLook, wrapped } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { printable } from '../core/text/printable.js';
import { chooseWay } from '../oauth/choose-registration.js';
import { checkAddress } from '../oauth/client-metadata/client-id.js';
import { discover } from '../oauth/discover.js';
import { isSameIssuer } from '../oauth/discovery-document.js';
import { keptChallenge } from '../oauth/probe.js';
import { documentHasKey } from '../tokens/client-keys.js';
import { readLoginTarget } from '../tokens/find-login.js';
import { chosenRedirectUri, documentOf, manualRegistration, registrationsFor } from '../tokens/registrations.js';
import type { DocumentArguments } from './client-metadata.options.js';
import type { ClientMetadataWorld } from './ports.js';

/** `client-metadata show <server>`: how a login there would name itself, and why. */
export async function show(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal, out } = world;
  if (args.target === undefined) {
    throw wordMissing(
      'show needs a server: its URL, or the name of a login.',
      'client-metadata',
      'postern client-metadata show work',
    );
  }
  const { server, account } = await readLoginTarget(world, args.target, defaultAccount);
  const { clients, clientMetadataUrl = world.clientMetadataUrl, redirectPort } = await world.configuration();
  const { logins } = await world.index.read();
  const held = logins.find((login) => login.server === server && login.account === account);
  const metadataUrl = args.url ?? documentOf(clientMetadataUrl, held);
  const shown = await showIdentity(world, { server, clients, metadataUrl, redirectPort, signal });
  world.progress.end();
  const { clientId = null, authMethod = null, store = null } = shown;
  if (world.json) await out.json({ ...shown, clientId, authMethod, store });
  else await out.line(linesOf(readerLook(world), shown).join('\n'));
  return 0;
}

/**
 * Finds out, as a login would, how this client would identify itself at a server's authorization server (rule 4.6), and
 * why. Nothing is registered, opened or stored.
 * @throws Failure of discovery and the index, `registration_way_closed`
 */
export async function showIdentity(
  ports: Pick<ClientMetadataWorld, 'http' | 'journal' | 'progress' | 'terminal' | 'clock' | 'limits' | 'index'>,
  request: {
    readonly server: string;
    readonly clients: readonly ConfiguredClient[];
    readonly metadataUrl: string | undefined;
    readonly redirectPort: number | undefined;
    readonly signal: AbortSignal;
  },
) {
  const { server, metadataUrl, redirectPort, signal } = request;
  const document = await ports.index.read();
  const held = document.logins.find((login) => login.server === server);
  const known = document.logins.map(({ issuer }) => issuer);
  const about = { server, meant: { server, given: undefined }, wanted: undefined, headers: [] } as const;
  const { authorizationServer } = await discover(ports, {
    ...{ ...about, held, known, kept: keptChallenge(document, server), signal },
    grant: 'authorization_code',
  });
  const { issuer } = authorizationServer;
  const kept = await registrationsFor(ports, issuer);
  const given = request.clients.find((client) => isSameIssuer(client.issuer, issuer));
  const byHand = manualRegistration(kept, given?.clientId);
  const hasKey = await documentHasKey(ports, metadataUrl);
  const choice = chooseWay({
    forced: undefined,
    preregistered: given?.clientId ?? byHand?.clientId,
    metadataUrl,
    documentHasKey: hasKey,
    byDevice: false,
    server: authorizationServer,
  });
  if (!choice.open) throw new Error('without a forced way one is always open');
  const { way, why, passedOver } = choice;
  const asDocument = way === 'metadata' ? metadataUrl : undefined;
  if (asDocument !== undefined) checkAddress(asDocument);
  const record = kept.find((one) =>
    way === 'preregistered' ? one === byHand : one.way === way && (asDocument ?? one.clientId) === one.clientId,
  );
  const keyMethod = hasKey ? 'private_key_jwt' : 'none';
  const chosen = chosenRedirectUri(document, issuer);
  const usual = { ...usualRedirectUri, ...chosen, port: chosen?.port ?? redirectPort };
  const registered = redirectPort === undefined && chosen === undefined ? record?.redirectUri : undefined;
  return {
    server,
    issuer,
    way,
    why,
    passedOver,
    /** Undefined: it is got, or asked for, at the login. */
    clientId: asDocument ?? (way === 'preregistered' ? given?.clientId : undefined) ?? record?.clientId,
    /** `http://127.0.0.1/callback` means the port of the moment. */
    redirectUri: given?.redirectUri ?? registered ?? redirectUriText(usual),
    authMethod: asDocument === undefined ? record?.authMethod : keyMethod,
    /** Where the secret or the key is, when it has one. */
    store: record?.hasSecret === true ? (record.store ?? 'keychain') : undefined,
  };
}

const wayInWords: Readonly<Record<RegistrationWay, string>> = {
  preregistered: 'registered by hand',
  metadata: 'client ID metadata document',
  dynamic: 'dynamic registration',
  ask: 'asking the person at the terminal',
};

/** Columns of the labels. */
const labels = 11;

function linesOf(look: Look, shown: Awaited<ReturnType<typeof showIdentity>>): readonly string[] {
  const { way, why, passedOver, clientId, redirectUri, authMethod, store } = shown;
  const anyPort = new URL(redirectUri).port === '';
  const rows: readonly (readonly [string, string])[] = [
    ['server', shown.server],
    ['issuer', shown.issuer],
    ['way', `${wayInWords[way]}: ${why}`],
    ...passedOver.map((one) => ['not taken', `${wayInWords[one.way]}: ${one.why}`] as const),
    ['client', clientId ?? (way === 'dynamic' ? 'registered at the login' : 'asked for at the login')],
    ['redirect', `${redirectUri}${anyPort ? ', with the port of the moment (RFC 8252 section 7.3)' : ''}`],
    ...(authMethod === undefined ? [] : ([['proof', proofOf(authMethod, shown.issuer)]] as const)),
    ...(store === undefined ? [] : ([['secret in', storeInWords(store)]] as const)),
  ];
  return rows.flatMap(([name, text]) => {
    const [first = '', ...others] = wrapped(printable(text, 600), look.width, labels);
    return [`${toned(look, 'dim', name)}${first.slice(name.length)}`, ...others];
  });
}

function proofOf(method: ClientAuthMethod, issuer: string): string {
  if (method === 'none') return 'none: a public client, and PKCE';
  return method === 'private_key_jwt' ? `${method}: an assertion for ${issuer} alone, good for a minute` : method;
}
