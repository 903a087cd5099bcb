import { exitCode, Failure } from '../../core/failure.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import { quotedServer } from '../../core/resource.js';
import { printable, quoted, shellWord } from '../../core/text/printable.js';
import { type OutOfOrder, outageInWords, whenAgain } from '../../oauth/failures.js';

export function clientUnnamed(): Failure {
  const message = 'A client’s secret, key or token needs the client identifier that it belongs to.';
  return usage(message, 'Pass the client identifier with --client-id, or in POSTERN_CLIENT_ID.');
}

export function clientProofMissing(): Failure {
  return usage(
    '--client-credentials needs the client’s secret or key.',
    'Pass --client-secret-file FILE, which POSTERN_CLIENT_SECRET_FILE may name, or --client-key-file FILE. For a key that is made here, or a token of the platform: postern login --help',
  );
}

export function assertionUnbound(): Failure {
  const message = 'With --assertion-audience the token does not say itself which authorization server it is for.';
  return usage(message, 'Say it with --authorization-server ISSUER, or in POSTERN_AUTHORIZATION_SERVER.');
}

export function assertionOptionAlone(): Failure {
  const message = '--assertion-audience and --assertion-as say how a platform’s token is used, and none was named.';
  return usage(message, 'Add --assertion-file FILE, --assertion-env VARIABLE or --assertion-command CMD.');
}

export function clientProofTwice(): Failure {
  const message = 'Of a client secret, a client key and a platform’s token one can be used at a time.';
  return usage(message, 'Pass the one that the client is registered with.');
}

export function clientSecretMissing(source: string): Failure {
  return usage(`${quoted(source, 200)} holds no client secret.`, 'Put the secret there, on one line.');
}

export function clientSecretUnasked(): Failure {
  const message = 'No client secret came on stdin, and there is nobody here to ask for it.';
  return usage(message, 'Give it as a file: --client-secret-stdin < FILE, or --client-secret-file FILE.');
}

function usage(message: string, remedy: string): Failure {
  return new Failure({ code: 'usage', exit: exitCode.usage, message, remedy });
}

export function ownClientMissing(server: string): Failure {
  const message = `--client-credentials needs a client for ${quotedServer(server)}.`;
  const remedy =
    'Pass --client-id ID with --client-key-file FILE, --client-secret-file FILE or --client-secret-stdin; or let a key be made with --generate-key.';
  return new Failure({ code: 'client_identifier_needed', exit: exitCode.usage, message, remedy });
}

/** The key file holds no key that can be used. `why` says it without quoting anything of it. */
export function clientKeyUnusable(why: string): Failure {
  const message = `The client key cannot be used: ${why}.`;
  const remedy = 'Make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE';
  return new Failure({ code: 'client_key_unusable', exit: exitCode.usage, message, remedy });
}

/** Errors that refuse who asks, or what it calls itself (RFC 7591 section 3.2.2). */
const namesErrors: readonly string[] = ['invalid_client_metadata', 'unapproved_software_statement', 'access_denied'];

/** What came of a registration, and what was asked for. */
interface RefusedRegistration {
  readonly error: string;
  readonly said: string;
  /** What the program called itself, where a person has chosen that. */
  readonly name: string | undefined;
  /** What to do where it minds the redirect URI; undefined: it does not. */
  readonly otherAddress: string | undefined;
}

/** The registration endpoint said no (RFC 7591 section 3.2.2). */
export function registrationRefused(
  issuer: string,
  status: number,
  { error, said, name, otherAddress }: RefusedRegistration,
): Failure {
  const message = `The authorization server ${quoted(issuer)} refused to register this client (${status})${said === '' ? '' : `; it said: ${quoted(said)}`}.`;
  const byHand = 'Register a client there yourself and pass its identifier with --client-id.';
  const mayKnowNames = status === 401 || status === 403 || namesErrors.includes(error);
  const known =
    name === undefined
      ? 'If it registers known names alone, log in with the one that its operator has given you: --client-name NAME. Else register'
      : `It was asked as “${printable(name, 80)}” (--client-name); check that name. Or register`;
  const remedy = otherAddress ?? (mayKnowNames ? byHand.replace('Register', known) : byHand);
  const code = otherAddress === undefined ? 'registration_refused' : 'redirect_uri_refused';
  return new Failure({ code, exit: exitCode.refused, message, remedy });
}

export function registrationFailed(issuer: string, outage: OutOfOrder): Failure {
  const message = `The authorization server ${quoted(issuer)} could not register this client: it responded ${outageInWords(outage)}.`;
  const isRefusal = outage.isPage && outage.status < 500 && outage.status !== 429;
  const [code, exit] = isRefusal
    ? (['registration_refused', exitCode.refused] as const)
    : (['registration_failed', exitCode.network] as const);
  return new Failure({ code, exit, message, remedy: whenAgain(outage) });
}

export function registrationUnusable(issuer: string, why: string): Failure {
  const message = `The authorization server ${quoted(issuer)} sent an invalid client registration: ${why}.`;
  const remedy = 'Report it to its operator, or register a client there yourself and pass --client-id.';
  return new Failure({ code: 'registration_unusable', exit: exitCode.serverBreaksRules, message, remedy });
}

export function clientIdentifierNeeded(login: LoginAsked, issuer: string, redirectUri: string): Failure {
  const options = ['--client-id', 'ID', ...redirectOption(redirectUri)];
  const message = `The authorization server ${quoted(issuer)} does not register clients automatically, and you have no client there.`;
  const remedy = `Register a native client there with the redirect URI ${redirectUri}, then run, with --client-secret-stdin if it has a secret: ${loginCommand({ ...login, grant: undefined }, ...options)}`;
  return new Failure({ code: 'client_identifier_needed', exit: exitCode.usage, message, remedy });
}

/** What makes the next login use this redirect URI, of which a client was just registered. */
function redirectOption(redirectUri: string): readonly string[] {
  const { port } = new URL(redirectUri);
  if (port === '') return []; // of a login by a code, which has no listener
  const isUsual = redirectUri === `http://127.0.0.1:${port}/callback`;
  return isUsual ? ['--redirect-port', port] : ['--redirect-uri', shellWord(redirectUri)];
}

export function registrationWayClosed(way: string, why: string): Failure {
  const message = `--registration ${way} is not possible here: ${why}.`;
  const remedy = 'Leave --registration out to use whichever way works.';
  return new Failure({ code: 'registration_way_closed', exit: exitCode.usage, message, remedy });
}

export function clientSecretLost(clientId: string, issuer: string, store: string, why: Failure | undefined): Failure {
  const reason = why === undefined ? 'it is not there any more' : why.message;
  const message = `The secret of the client ${quoted(clientId)}, kept in the store ${quoted(store, 80)}, cannot be read: ${reason}`;
  const orStore = why === undefined ? '' : ', or make that store work';
  const remedy = `Give it again: add --client-secret-stdin --authorization-server ${shellWord(issuer)}${orStore}.`;
  return new Failure({ code: 'client_secret_lost', exit: exitCode.store, message, remedy, cause: why });
}

export function registeredTooOften(issuer: string, max: number, forced: boolean): Failure {
  const own = 'register a client there yourself and pass its identifier with --client-id';
  const message = `This client was registered at ${quoted(issuer)} ${max} times in the last hour, the most that postern allows.`;
  const remedy = forced
    ? `Leave --registration dynamic out to use the earlier registration; or wait an hour, or ${own}.`
    : `Wait an hour, or ${own}.`;
  return new Failure({ code: 'registered_too_often', exit: exitCode.refused, message, remedy });
}
