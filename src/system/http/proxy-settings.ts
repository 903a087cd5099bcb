import { networkSettingUnusable } from '../../errors/network.js';
import { classifyAddress } from '../../primitives/ip-address.js';
import { Secret } from '../../primitives/secret.js';
import { isListed } from './no-proxy.js';
import { isLocalhost } from './resolve-host.js';

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
 * for plain http, which the door opens to this machine only, and this machine is never reached through
 * a proxy, whatever the variables say.
 * @throws Failure `network_setting_unusable`, without the setting's value
 */
export function proxyFor(target: ProxyTarget, env: Environment): HttpProxy | undefined {
  const { host, port } = target;
  if (!target.secure || isLocalhost(host) || classifyAddress(host) === 'loopback') return undefined;
  const setting = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (setting === '') return undefined;
  return isListed(env['no_proxy'] ?? env['NO_PROXY'] ?? '', host, port) ? undefined : parseProxy(setting);
}

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
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
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return new Secret(`Basic ${Buffer.from(pair).toString('base64')}`);
  } catch {
    throw networkSettingUnusable('HTTPS_PROXY', 'its user name or password is not percent-encoded');
  }
}
