import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import { canonicalResource, namedServer, visibleUrl } from '../core/resource.js';
import { quoted } from '../core/text/printable.js';
import { resolveReference } from '../core/url.js';

/** Who named the address: the person at the keyboard, or a server (of whatever zone). */
export type NamedBy = 'person' | 'public' | 'private' | 'loopback';

function failure(exit: ExitCode, code: string, message: string, remedy: string): Failure {
  return new Failure({ code, exit, message, remedy });
}

export const checkNetwork = 'Check the network, VPN and firewall, then try again.';

const operator = 'Report this to the operator of the server that names it; nothing was requested there.';

/** A URL that the gate, or the rule of https, does not let pass. `problem` finishes "…: it is …". */
export function urlRefused(raw: string, problem: string, namedBy: NamedBy): Failure {
  const remedy = 'Type the full address, for example https://server.example/mcp.';
  return urlUnusable(raw, `cannot be used: ${problem}`, namedBy, remedy);
}

/** Plain http to anything that is not on this machine. */
export function plainHttpRefused(raw: string, namedBy: NamedBy): Failure {
  const why = 'is plain http, which is used for servers on this machine only';
  return urlUnusable(raw, why, namedBy, 'Use the https address of the server.');
}

function urlUnusable(raw: string, why: string, namedBy: NamedBy, remedy: string): Failure {
  const subject = namedBy === 'person' ? 'The address' : 'The address that the server names';
  const message = `${subject} ${quoted(visibleUrl(raw), 200)} ${why}.`;
  return failure(exitOf(namedBy), 'url_refused', message, namedBy === 'person' ? remedy : operator);
}

/** A name or address that leads farther in than its source may point. `kind` is the class of the address. */
export function addressRefused(host: string, kind: keyof typeof meaning, namedBy: NamedBy): Failure {
  const by = namedBy === 'person' ? '' : `, and was named by a ${namedBy} server`;
  const message = `${quoted(host, 100)} leads to ${meaning[kind]}${by}; nothing was sent.`;
  const remedy =
    namedBy === 'person'
      ? 'Check the host name: link-local, reserved and metadata addresses are never connected to.'
      : 'Do not log in to that server until its operator explains this; it can be an attack on your network.';
  return failure(exitOf(namedBy), 'address_refused', message, remedy);
}

/** A redirect that is not followed. `why` finishes "… is not followed: …". */
export function redirectRefused(detail: {
  readonly from: string;
  readonly status: number;
  readonly to: string | undefined;
  readonly why: string;
}): Failure {
  const { from, status, to, why } = detail;
  const target = to === undefined ? 'nowhere' : quoted(visibleUrl(to), 200);
  const message = `${quoted(visibleUrl(from), 200)} redirects (${status}) to ${target}, which is not followed: ${why}.`;
  const remedy = 'If the server has moved, use its new address; else report the redirect to its operator.';
  return failure(exitCode.serverBreaksRules, 'redirect_refused', message, remedy);
}

/**
 * The server redirects what is sent to its own address, and no request of ours follows it.
 * @param near Where a server is, as it was found out; without it the target, on the same origin.
 */
export function serverRedirects(
  login: LoginMeant,
  status: number,
  location: string | undefined,
  near?: string,
): Failure {
  const { server } = login;
  const [from, target] = [new URL(server), location === undefined ? undefined : resolveReference(location, server)];
  const to = target?.href ?? location;
  const refused = redirectRefused({ from: server, status, to, why: 'a token goes to the address of its login only' });
  const moved = canonicalResource(target && isSameServer(from, target, status) ? target.href : '');
  const other = near ?? (moved.ok ? moved.value : undefined);
  if (other !== undefined) {
    const remedy = `Did you mean: ${loginCommand({ ...login, name: undefined, server: namedServer(other) })}`;
    return failure(exitCode.usage, 'wrong_address', refused.message, remedy);
  }
  const page = 'If that is a page to sign in, no MCP server is at this address: check it, or ask its operator.';
  return refused.withRemedy(hiddenByProxy(server, to) ?? page);
}

/** What to do where a server calls itself as it is called behind its proxy; undefined where that is not likely. */
export function hiddenByProxy(server: string, other = ''): string | undefined {
  if (!URL.canParse(server) || !URL.canParse(other)) return undefined;
  const [from, to] = [new URL(server), new URL(other)];
  const isOther = from.hostname !== to.hostname;
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:';
  if (isSafer || (isOther && (isLocal(from) || !isLocal(to)))) return undefined;
  const hidden = [
    ...(from.protocol === 'https:' && to.protocol === 'http:' ? ['https'] : []),
    ...(isOther ? ['the host name'] : from.port === to.port ? [] : ['the port']),
  ].join(' and ');
  return hidden === '' ? undefined : `The server’s proxy hides ${hidden}: its operator has to set the public address.`;
}

const isLocal = ({ hostname }: URL) => ['localhost', '127.0.0.1', '[::1]', '0.0.0.0'].includes(hostname);

/** Is it likely the same server, at another path? A browser is sent to pages by 302 and 303, too. */
function isSameServer(from: URL, { origin, pathname }: URL, status: number): boolean {
  const bare = (path: string) => path.replace(/\/$/, '');
  return origin === from.origin && ((status !== 302 && status !== 303) || bare(pathname) === bare(from.pathname));
}

const meaning = {
  public: 'a public address',
  loopback: 'this machine itself',
  private: 'a private network',
  forbidden: 'an address that is never connected to (link-local, reserved, multicast or metadata service)',
} as const;

function exitOf(namedBy: NamedBy): ExitCode {
  return namedBy === 'person' ? exitCode.usage : exitCode.serverBreaksRules;
}

/** A limit in time passed. `during` finishes "… took longer than N s: …". */
export function timedOut(host: string, during: string, milliseconds: number): Failure {
  const seconds = Math.round(milliseconds / 100) / 10;
  const message = `${quoted(host, 100)} took longer than ${seconds} s: ${during}.`;
  return failure(exitCode.network, 'timed_out', message, checkNetwork);
}

/** A limit in size passed, or the size cannot be bounded. `what` finishes "… sent …". */
export function tooLarge(host: string, what: string): Failure {
  const message = `${quoted(host, 100)} sent ${what}; reading was stopped.`;
  const remedy = 'Check the address; if it is right, report this to the operator of that server.';
  return failure(exitCode.serverBreaksRules, 'too_large', message, remedy);
}

/** A request header that HTTP cannot carry, or that the program sets itself. Its value is not shown. */
export function headerRefused(name: string, problem: string): Failure {
  const message = `The request header ${quoted(name, 60)} cannot be sent: ${problem}.`;
  return failure(exitCode.usage, 'header_refused', message, 'Correct the header or leave it out.');
}

/** A request method that HTTP does not have, or that opens tunnels. */
export function methodRefused(method: string): Failure {
  const message = `${quoted(method, 60)} is not a method that a request can be sent with.`;
  return failure(exitCode.usage, 'method_refused', message, 'Use a method such as GET, POST, PUT, PATCH or DELETE.');
}

/** A setting of the network that cannot be used: proxy variable, certificate file. Its value is not shown. */
export function networkSettingUnusable(setting: string, problem: string): Failure {
  const message = `${setting} cannot be used: ${problem}.`;
  return failure(exitCode.usage, 'network_setting_unusable', message, `Correct ${setting}, or remove it.`);
}

/** The HTTP client was closed while a request was under way: the program is ending. */
export function requestInterrupted(host?: string): Failure {
  const to = host === undefined ? '' : ` to ${quoted(host, 100)}`;
  const message = `The request${to} was interrupted because the program is ending.`;
  return failure(exitCode.interrupted, 'interrupted', message, 'Try again.');
}
