import { exitCode, Failure, type Remedy } from '../core/failure.js';
import { type LoginAsked, type LoginMeant, loginArgument, loginCommand, waysOfJob } from '../core/login-command.js';
import { defaultAccount } from '../core/records.js';
import { quotedServer, visibleUrl } from '../core/resource.js';
import { printable, quoted, quotedPath, shellWord } from '../core/text/printable.js';
import { type OutOfOrder, outageInWords, refusesResource, whenAgain } from '../oauth/failures.js';

export function nameUnusable(name: string): Failure {
  const message = `${quoted(name, 80)} cannot be a name: names are 1 to 63 of a-z, 0-9, ".", "_" and "-", and begin with a letter or digit.`;
  return new Failure({ code: 'name_unusable', exit: exitCode.usage, message, remedy: 'Choose another --name.' });
}

export function nameTaken(name: string, server: string, account: string): Failure {
  const which = account === defaultAccount ? '' : ` (account ${quoted(account)})`;
  const message = `The name ${quoted(name)} belongs to the login for ${quotedServer(server)}${which}.`;
  const remedy = `Choose another name, or first rename that one: postern rename ${shellWord(name)} ANOTHER`;
  return new Failure({ code: 'name_taken', exit: exitCode.usage, message, remedy });
}

/** Many at once, where nobody can be asked. @param deed such as “end 7 logins” @param command Does it without a question. */
export function notConfirmed(deed: string, names: readonly string[], command: string): Failure {
  const [shown, more] = [names.slice(0, 5).map((one) => printable(one, 80)), names.length - 5];
  const which = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const message = `This would ${deed} (${which}), and nobody is here to say yes. Nothing was changed.`;
  return new Failure({ code: 'not_confirmed', exit: exitCode.usage, message, remedy: `Run: ${command}` });
}

/** A login needs a browser, and none may or can be opened here. `why` is what forbids it; `of`: which command wants it. */
export function noBrowserHere(
  login: LoginAsked,
  { why, canOpen, of }: { readonly why: string; readonly canOpen: boolean; readonly of: 'login' | 'other' },
): Failure {
  const run = loginCommand(login);
  const open = canOpen ? 'Add --browser to open one, ' : `Run where there is a display: ${run}; or add `;
  const elsewhere = canOpen ? `or --no-browser for a link; or run: ${run}` : '--no-browser for a link';
  const text = open + (of === 'login' ? '--no-browser for a link, or --device for a code' : elsewhere);
  const remedy: Remedy = (situation) => [`${text}.`, waysOfJob(login, situation) ?? ''].join(' ').trim();
  const message = `No browser was opened (${why}).`;
  return new Failure({ code: 'login_needs_person', exit: exitCode.loginNeeded, message, remedy });
}

export function serverSilent(server: string, seconds: number): Failure {
  const message = `${quotedServer(server, 200)} did not answer within ${seconds} s.`;
  const remedy = 'Try again in a minute, or see how far it gets, with: postern status --check --verbose';
  return new Failure({ code: 'timed_out', exit: exitCode.network, message, remedy });
}

export function moveNotVerified(store: string): Failure {
  const message = `A credential written to the store ${printable(store, 80)} could not be read back. It stays where it was.`;
  const remedy = 'Check that this store works, then run postern move again.';
  return new Failure({ code: 'store_failed', exit: exitCode.store, message, remedy });
}

export function nothingToEnd(message: string, others: number): Failure {
  const remedy = `There is nothing to log out of${others === 0 ? ': no logins are left.' : '. All logins: postern status'}`;
  return new Failure({ code: 'login_needed', exit: exitCode.loginNeeded, message, remedy });
}

export function notForgotten(failure: Failure): Failure {
  return failure.withRemedy((situation) => `${failure.remedyIn(situation)} To forget the login anyway, add --force.`);
}

export function tooManyLogins(max: number): Failure {
  const message = `You have ${max} logins, the most that postern keeps.`;
  const remedy = 'Log out of one that you do not need, then log in again: postern logout NAME';
  return new Failure({ code: 'too_many_logins', exit: exitCode.store, message, remedy });
}

export function endpointsMoved(
  login: LoginAsked,
  endpoints: { readonly issuer: string; readonly before: string; readonly now: string },
): Failure {
  const { issuer, before, now } = endpoints;
  const message = `The authorization server ${quoted(issuer)} moved its endpoints from ${quoted(before)} to another host, ${quoted(now)}. Nothing was sent there.`;
  const remedy = `If you trust the change, run: ${loginCommand(login, '--authorization-server', shellWord(issuer))}`;
  return new Failure({ code: 'endpoints_moved', exit: exitCode.loginNeeded, message, remedy });
}

export function clientSecretUnbound(login: LoginAsked, issuer: string, clientId: string): Failure {
  const message = `The secret of ${quoted(clientId, 80)} was not sent: ${quotedServer(login.server)} sends logins to ${quoted(issuer)}, where that secret was never used.`;
  const named = shellWord(issuer);
  const isTyped = login.given !== undefined;
  const remedy = `If it is for that one, ${isTyped ? `run: ${loginCommand(login, '--authorization-server', named)}` : `set POSTERN_AUTHORIZATION_SERVER=${named}`}`;
  return new Failure({ code: 'client_secret_unbound', exit: exitCode.usage, message, remedy });
}

/**
 * The person or the authorization server said no (`error` with our state, RFC 6749 section 4.1.2.1). Which of them,
 * `access_denied` does not tell; `consent_required` (OpenID Connect Core 1.0, section 3.1.2.6) is a consent not given.
 * @param otherRedirect What to do where it does not take the redirect URI.
 */
export function authorizationDenied(issuer: string, { error, said }: Refusal, otherRedirect?: string): Failure {
  const code = refusesScope(error, said) ? 'invalid_scope' : (denials[error] ?? codeOfRefusal(error, said));
  const shown = error === 'access_denied' ? '' : ` (${quoted(error, 80)})`;
  const what = `The login was ${code === 'denied' ? 'denied' : 'refused'}${shown} at ${quoted(issuer)}`;
  const message = `${what}${said === '' ? '' : `; it said: ${quoted(said)}`}.`;
  const remedy = (code === 'redirect_uri_refused' ? otherRedirect : undefined) ?? afterDenial(error);
  return new Failure({ code, exit: exitCode.refused, message, remedy });
}

/** As an authorization server says it. */
interface Refusal {
  readonly error: string;
  readonly said: string;
}

function codeOfRefusal(error: string, said: string): string {
  if (refusesResource(error, said)) return 'invalid_target';
  return refusesRedirect(error, said) ? 'redirect_uri_refused' : 'authorization_refused';
}

/** A denial that says so is of no person (oidc-provider's, where no scope was asked for). */
const refusesScope = (error: string, said: string): boolean =>
  error === 'invalid_scope' || (error === 'access_denied' && /\bno scope\b/i.test(said));

/** Few have a code for it. */
const refusesRedirect = (error: string, said: string): boolean =>
  /redirect/i.test(error) || (error === 'invalid_request' && /redirect/i.test(said));

const denials: Readonly<Record<string, string>> = {
  access_denied: 'denied',
  consent_required: 'denied',
  unauthorized_client: 'unauthorized_client',
  invalid_client: 'invalid_client',
};

function afterDenial(error: string): string {
  switch (error) {
    case 'access_denied':
      return 'To log in after all, run the same command again. If it was not you who said no, ask the operator for access.';
    case 'consent_required':
      return 'Log in again, and allow what it asks for.';
    case 'unauthorized_client':
    case 'invalid_client':
      return 'The authorization server does not accept this client. If you passed --client-id, check it; else log in again, which registers anew.';
    case 'invalid_scope':
      return 'The authorization server does not know a scope that was asked for. Check --scope, or leave it out.';
    case 'login_required':
    case 'interaction_required':
    case 'account_selection_required':
      return 'Log in again, and log in on the page that opens.';
    case 'temporarily_unavailable':
    case 'server_error':
      return 'The authorization server has a problem. Log in again in a while.';
    default:
      return 'To see the requests, log in again with --verbose.';
  }
}

export function responseUnusable(why: string): Failure {
  const message = `The authorization server’s response is invalid: ${why}. The login was stopped.`;
  const remedy = 'Log in again; if it happens again, report it to the authorization server’s operator.';
  return new Failure({ code: 'callback_unusable', exit: exitCode.serverBreaksRules, message, remedy });
}

/** `iss` is missing where it was announced, or names another issuer (RFC 9207 section 2.4). */
export function responseFromAnotherIssuer(asked: string, found: string | undefined): Failure {
  const what =
    found === undefined
      ? `The response lacks the iss parameter that ${quoted(asked)} announces (RFC 9207), so it may be forged.`
      : `The response comes from the issuer ${quoted(found)}, but the login began at ${quoted(asked)} (RFC 9207 section 2.4).`;
  const message = `${what} The login was stopped.`;
  const remedy = 'This can be an attack. Do not log in to this server until its operator explains it.';
  return new Failure({ code: 'issuer_mismatch', exit: exitCode.serverBreaksRules, message, remedy });
}

/** The authorization server did not take a pushed request (RFC 9126 section 2.3), or said nothing usable. */
export function requestNotTaken(
  issuer: string,
  result:
    | ({ readonly problem: 'refused' } & Refusal)
    | OutOfOrder
    | { readonly problem: 'unusable'; readonly why: string },
  otherRedirect?: string,
): Failure {
  if (result.problem === 'refused') return authorizationDenied(issuer, result, otherRedirect);
  if (result.problem === 'transient') {
    const message = `The authorization server ${quoted(issuer)} responded ${outageInWords(result)} to the authorization request.`;
    const remedy = whenAgain(result);
    return new Failure({ code: 'authorization_endpoint_failed', exit: exitCode.network, message, remedy });
  }
  const message = `The authorization server ${quoted(issuer)} sent an invalid response to the pushed authorization request: ${result.why}.`;
  const remedy = 'Report it to the authorization server’s operator.';
  return new Failure({ code: 'callback_unusable', exit: exitCode.serverBreaksRules, message, remedy });
}

export function requestTooLong(length: number): Failure {
  const message = `The authorization request is too long: ${length} characters, at most 8192. The server asks for too much.`;
  const remedy = 'Ask for less with --scope.';
  return new Failure({ code: 'request_too_long', exit: exitCode.serverBreaksRules, message, remedy });
}

export function noServersThere(title: string, files: readonly string[]): Failure {
  const where = files.map((file) => quotedPath(file, 300)).join(', ');
  const message =
    files.length === 0 ? `${title} has no configuration here.` : `${where} names no server that you could log in to.`;
  const remedy = 'Pass the server’s URL: postern login https://example.com/mcp';
  return new Failure({ code: 'no_servers_there', exit: exitCode.usage, message, remedy });
}

export function serverNotThere(
  name: string,
  title: string,
  meant: string | undefined,
  all: readonly string[],
): Failure {
  const known = all.slice(0, 20).map((one) => printable(one, 60));
  const message = `${title} has no server ${quoted(name, 80)} to log in to. It has: ${known.join(', ')}.`;
  const remedy = meant === undefined ? 'Name one of these.' : `Did you mean ${quoted(meant, 80)}?`;
  return new Failure({ code: 'server_not_there', exit: exitCode.usage, message, remedy });
}

export function clientNameUseless(issuer: string): Failure {
  const message = `--client-name is for dynamic registration, which the authorization server ${quoted(issuer)} does not offer.`;
  return new Failure({ code: 'usage', exit: exitCode.usage, message, remedy: 'Leave --client-name out.' });
}

export function nameWasOthers(login: LoginMeant, name: string): Failure {
  return new Failure({
    code: 'name_taken',
    exit: exitCode.usage,
    message: `The name ${quoted(name)} was that of another server, and scripts may still use it for that one.`,
    remedy: `Choose another name, or, if nothing does: postern rename ${loginArgument(login)} ${shellWord(name)} --force`,
  });
}

export function accountNotSaid(server: string, accounts: readonly string[]): Failure {
  return new Failure({
    code: 'login_ambiguous',
    exit: exitCode.usage,
    message: `Which account? There are ${accounts.length} for ${quoted(visibleUrl(server), 200)}: ${accounts
      .slice(0, 20)
      .map((one) => quoted(one, 80))
      .join(', ')}.`,
    remedy: `Name one: postern switch ${shellWord(visibleUrl(server))} ACCOUNT`,
  });
}

export function companyNotShared(store: string, login: LoginAsked): Failure {
  return new Failure({
    code: 'store_refused',
    exit: exitCode.usage,
    message: `A login by a company’s provider is one person’s, and cannot be kept in the store ${quoted(store, 200)}, which machines share. Nobody was asked.`,
    remedy: `Keep it on this machine, in the keychain (or, with --store file, in a sealed file): ${loginCommand(login, '--store keychain')}`,
  });
}

export function clientBoundElsewhere(clientId: string, issuer: string): Failure {
  const message = `The client ${quoted(clientId)} is configured for another authorization server, but this server names ${quoted(issuer)}. Nothing was sent there.`;
  const remedy = 'Check the issuer of this client in the configuration file.';
  return new Failure({ code: 'issuer_mismatch', exit: exitCode.serverBreaksRules, message, remedy });
}

export function companyClientMissing(login: LoginAsked, issuer: string): Failure {
  return new Failure({
    code: 'client_identifier_needed',
    exit: exitCode.usage,
    message: `A company’s provider vouches for one client that is known at ${quoted(issuer)}, and none was named.`,
    remedy: `Ask your company’s administrator for its identifier, and run, with --client-secret-stdin if it has a secret: ${loginCommand(login, '--client-id ID')}`,
  });
}

export function providerUnknown(issuer: string, known: readonly string[]): Failure {
  const others = known.length === 0 ? '' : ` You have: ${known.map((one) => quoted(one, 200)).join(', ')}.`;
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login at the company’s provider ${quoted(issuer, 200)}.${others}`,
    remedy: 'To see which logins there are: postern status -l',
  });
}

export function companyNotMoved(store: string): Failure {
  return new Failure({
    code: 'store_refused',
    exit: exitCode.usage,
    message: `A login by a company’s provider is one person’s, and stays on this machine: machines share the store ${quoted(store, 200)}.`,
    remedy: 'It works as before. Which logins are for many machines: postern help fleet',
  });
}
