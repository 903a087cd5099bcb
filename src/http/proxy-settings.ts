import { classifyHost, parseAddress, startsWith } from '../core/ip-address.js';
import { Secret } from '../core/secret.js';
import { networkSettingUnusable } from './failures.js';

/** An HTTP proxy that opens tunnels (RFC 9110 section 9.3.6). */
export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  /** Whether the connection to the proxy itself is TLS. */
  readonly secure: boolean;
  /** Value of Proxy-Authorization. */
  readonly authorization: Secret | undefined;
}

/** Environment variables by name; each is read in lower case first, then in upper case. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or undefined for none. Only https goes through one, by CONNECT: HTTP_PROXY is
 * for plain http, which the HTTP client opens to this machine only, and this machine is never reached through
 * a proxy, whatever the variables say.
 * @throws Failure `network_setting_unusable`, without the setting's value
 */
export function proxyFor(
  { host, port, secure }: Pick<HttpProxy, 'host' | 'port' | 'secure'>,
  env: Environment,
): HttpProxy | undefined {
  if (!secure || classifyHost(host) === 'loopback') return undefined;
  const { setting, except } = settingsIn(env);
  return setting === '' || isListed(except, host, port) ? undefined : parseProxy(setting);
}

/** Lower case first. */
function settingsIn(env: Environment): { readonly setting: string; readonly except: string } {
  return { setting: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '', except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

function parseProxy(setting: string): HttpProxy {
  const text = setting.includes('://') ? setting : `http://${setting}`;
  if (!URL.canParse(text)) throw networkSettingUnusable('HTTPS_PROXY', 'it is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw networkSettingUnusable('HTTPS_PROXY', 'only http and https proxies are known here');
  }
  const secure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    secure,
    authorization: credentials(url),
  };
}

function credentials(url: URL): Secret | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const password = new Secret(decodeURIComponent(url.password));
    const pair = `${decodeURIComponent(url.username)}:${password.reveal()}`;
    return new Secret(`Basic ${Buffer.from(pair).toString('base64')}`);
  } catch {
    throw networkSettingUnusable('HTTPS_PROXY', 'its user name or password is not percent-encoded');
  }
}

/**
 * Whether NO_PROXY lists a host: entries between commas or blanks, each `*`, a name (which stands for
 * itself and all below it, with or without a leading dot or `*.`), an address, or an address block
 * (`10.0.0.0/8`), and each may end in `:port`.
 */
export function isListed(noProxy: string, host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), name, port));
}

function matches(entry: string, name: string, port: number): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, entryPort] = /^(?:\[([^\]]*)\]|(.*?))(?::([0-9]+))?$/.exec(entry) ?? [];
  const bare = parseAddress(entry) !== undefined || entry.includes('/');
  if (!bare && entryPort !== undefined && Number(entryPort) !== port) return false;
  const pattern = bare ? entry : (bracketed ?? plain ?? entry);
  const bytes = parseAddress(name);
  if (bytes !== undefined) return isInBlock(bytes, pattern);
  const suffix = pattern.replace(/^\*?\./, '');
  return name === suffix || name.endsWith(`.${suffix}`);
}

function isInBlock(bytes: readonly number[], pattern: string): boolean {
  const [address = '', bits] = pattern.split('/');
  const prefix = parseAddress(address);
  if (prefix === undefined || prefix.length !== bytes.length) return false;
  const length = bits === undefined ? bytes.length * 8 : Number(bits);
  return Number.isInteger(length) && length >= 0 && startsWith(bytes, prefix, length);
}

/** Which proxy this shell names, for an entry whose program does not pass it on. */
export type ProxyVariables =
  | { readonly kind: 'none' }
  /** It holds a password or a user name: that is for no file. */
  | { readonly kind: 'secret' }
  /** It holds what no proxy's address holds, and some files could not say. */
  | { readonly kind: 'odd' }
  | { readonly kind: 'plain'; readonly variables: Readonly<Record<string, string>> };

/** The variables of the proxy as they are read here. */
export function proxyVariables(env: Environment): ProxyVariables {
  const { setting, except } = settingsIn(env);
  if (setting === '') return { kind: 'none' };
  if (setting.includes('@')) return { kind: 'secret' };
  const isPlain = /^(?:https?:\/\/)?[A-Za-z0-9._:[\]-]+\/?$/.test(setting) && /^[A-Za-z0-9._:[\]*,/ -]*$/.test(except);
  return isPlain
    ? { kind: 'plain', variables: { HTTPS_PROXY: setting, ...(except === '' ? {} : { NO_PROXY: except }) } }
    : { kind: 'odd' };
}

/** The file of further authorities that Node.js trusts here, for programs that are started without this variable. */
export function authorityVariables(env: Environment): Readonly<Record<string, string>> {
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? { NODE_EXTRA_CA_CERTS: file } : {};
}
