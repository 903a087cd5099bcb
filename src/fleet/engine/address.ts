import { classifyAddress } from '../../core/ip-address.js';
import { Secret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { type KeyName, readNamedFile } from '../../stores/key-file.js';
import { addressHoldsCredentials, engineAddressRefused, engineCredentialsUnusable } from '../failures.js';

/** Where an engine is. `namespace`: several fleets can share one engine. */
export interface EngineAddress {
  /** As it is kept in the index: two spellings of one address give one text. */
  readonly text: string;
  /** `Redis at cache.example:6380`, printable. */
  readonly label: string;
  readonly namespace: string;
  readonly way: TcpWay | { readonly path: string };
}

export interface TcpWay {
  /** An address of IPv6 is in brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const defaultNamespace = 'default';

const namespaceShape = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const longestAddress = 300;
/** As the system has it for socket addresses, less the zero at the end. */
const longestSocketPath = 107;

const usualPort = 6379;

/**
 * Reads the address of a shared store, as a person has written it after `--store`.
 * @throws Failure `engine_address_refused`, which holds nothing of what was written
 */
export function parseEngineAddress(text: string): EngineAddress {
  const rest = /^redis:(.*)$/s.exec(text)?.[1];
  if (rest === undefined) throw engineAddressRefused('it does not begin with redis:');
  if (text.length > longestAddress) throw engineAddressRefused(`it is longer than ${longestAddress} characters`);
  if (rest.startsWith('unix:')) return socketAddress(rest.slice('unix:'.length));
  return tcpAddress(rest);
}

function socketAddress(path: string): EngineAddress {
  if (!/^\/[\x21-\x7e]+$/.test(path) || /\/(?:\.{0,2})(?:\/|$)/.test(path)) {
    throw engineAddressRefused('after unix: stands no absolute path in its plain form');
  }
  if (path.length > longestSocketPath) throw engineAddressRefused('the path of its socket is too long for the system');
  const label = `Redis at ${printable(path, 120)}`;
  return { way: { path }, namespace: defaultNamespace, text: `redis:unix:${path}`, label };
}

function tcpAddress(text: string): EngineAddress {
  const [, scheme, authority = '', path = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority.includes('@') || text.includes('@')) throw addressHoldsCredentials();
  if (scheme !== 'rediss' && scheme !== 'redis') throw engineAddressRefused('it is neither rediss:// nor redis://');
  const gated = gateUrl(`http://${authority}/`);
  if (!gated.ok) throw engineAddressRefused(gated.problem);
  const host = gated.url.hostname;
  const written = /:([0-9]+)$/.exec(authority)?.[1];
  const port = written === undefined ? usualPort : Number(written);
  if (port === 0) throw engineAddressRefused('its port is 0');
  const isTls = scheme === 'rediss';
  if (!isTls && classifyAddress(host.replace(/^\[|\]$/g, '')) !== 'loopback') {
    throw engineAddressRefused(
      'redis:// without encryption is for 127.0.0.1 and [::1] alone',
      'Use rediss://, with the engine’s own authority in NODE_EXTRA_CA_CERTS where it has one.',
    );
  }
  const namespace = path === '' || path === '/' ? defaultNamespace : path.slice(1);
  if (!namespaceShape.test(namespace) || !/^(?:\/|$)/.test(path)) {
    throw engineAddressRefused('what stands after its port is no namespace: small letters, digits, dot, dash');
  }
  const suffix = namespace === defaultNamespace ? '' : `/${namespace}`;
  const label = `Redis at ${host}:${port}`;
  return { way: { host, port, isTls }, namespace, text: `redis:${scheme}://${host}:${port}${suffix}`, label };
}

export interface EngineCredentials {
  readonly name: string;
  readonly password: Secret;
}

const credentialsFile: KeyName = { variable: 'POSTERN_ENGINE_CREDENTIALS_FILE', credential: 'postern-engine' };

/** Name and password of the engine; undefined where no file is named. @throws Failure `engine_credentials_unusable`, `path_refused` */
export function readEngineCredentials(
  env: Readonly<Record<string, string | undefined>>,
): EngineCredentials | undefined {
  const refuse = engineCredentialsUnusable;
  const file = readNamedFile(env, credentialsFile, { maxBytes: 4096, refuse });
  if (file === undefined) return undefined;
  const found = parseEngineCredentials(file.bytes.toString());
  if (found === undefined) throw refuse(file.path, 'it holds no NAME:PASSWORD, nor a line for each');
  return found;
}

/** `NAME:PASSWORD` on one line, or a line for each; undefined for anything else. */
export function parseEngineCredentials(text: string): EngineCredentials | undefined {
  const [, name = '', password = ''] = /^([^\n:]+)[\n:]([^\n]+)\n?$/.exec(text.replaceAll('\r\n', '\n')) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  return name === '' || /[\0-\x1f\x7f]/.test(name + password)
    ? undefined
    : { name: name.trim(), password: new Secret(password) };
}
