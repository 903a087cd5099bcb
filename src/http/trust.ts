import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { accessProblem } from '../core/files.js';
import { quotedPath } from '../core/text/printable.js';
import { networkSettingUnusable } from './failures.js';
import type { Environment } from './proxy-settings.js';

/** A client certificate, as PEM files, and the only origins that it is shown to. */
export interface ClientCertificate {
  /** As `URL.origin` spells them. */
  readonly origins: readonly string[];
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TrustOptions {
  readonly env: Environment;
  /** PEM file with authorities to trust in addition to Node’s. */
  readonly caFile?: string;
  readonly clientCertificates?: readonly ClientCertificate[];
}

/**
 * Gives the TLS context for an origin, or, undefined, for a proxy: Node's authorities, those of NODE_EXTRA_CA_CERTS and of
 * `caFile`; the client certificate that a person named for this very origin; TLS 1.2 or newer. Files are read once.
 */
export function trustBy(options: TrustOptions): (origin: string | undefined) => Promise<SecureContext> {
  const contexts = new Map<string, Promise<SecureContext>>();
  return (origin = '') => {
    const certificate = options.clientCertificates?.find(({ origins }) => origins.includes(origin));
    const name = certificate?.certFile ?? '';
    const context = contexts.get(name) ?? makeContext(options, certificate);
    contexts.set(name, context);
    return context;
  };
}

/** @throws Failure `network_setting_unusable` */
async function makeContext(options: TrustOptions, certificate: ClientCertificate | undefined): Promise<SecureContext> {
  const { contextThatTrusts } = await import('../core/trusted-authorities.js');
  const ca = await additionalAuthorities(options);
  const client = certificate && {
    cert: await readPem('the client certificate file', certificate.certFile),
    key: readClientKey(certificate.keyFile),
  };
  try {
    return contextThatTrusts(ca, client);
  } catch {
    const what = certificate === undefined ? 'A certificate file' : 'A file of clientCertificates';
    const why = certificate === undefined ? '' : ', or the key is not the certificate’s, or is encrypted';
    throw networkSettingUnusable(what, `it holds no usable PEM certificate or key${why}`);
  }
}

/** In some releases of Node, a context that others are added to loses those of NODE_EXTRA_CA_CERTS: that file is added again. */
async function additionalAuthorities(options: TrustOptions): Promise<readonly string[]> {
  if (options.caFile === undefined) return [];
  const own = await readPem('the CA file', options.caFile);
  const extra = options.env['NODE_EXTRA_CA_CERTS'];
  return extra ? [own, await readPem('NODE_EXTRA_CA_CERTS', extra)] : [own];
}

async function readPem(what: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw networkSettingUnusable(what, 'the file cannot be read');
  }
}

const maxBytes = 65_536;

/**
 * The private key of a client certificate, PEM. A symbolic link is followed, as certificate tools make them; the file
 * that it leads to has to be a plain one, the person's own or the system's, and closed to everybody else.
 * @throws Failure `network_setting_unusable`
 */
export function readClientKey(path: string): Buffer {
  const what = `The client key file ${quotedPath(path, 200)}`;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw networkSettingUnusable(what, 'the file cannot be read');
  }
  try {
    const why = problem(fstatSync(file));
    if (why !== undefined) throw networkSettingUnusable(what, why);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function problem(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a plain file';
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`;
  return accessProblem(stats, process.geteuid?.(), { orRoots: true, hint: '; chmod 600' });
}
