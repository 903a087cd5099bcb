import { constants, open, readFile } from 'node:fs/promises';
import * as tls from 'node:tls';
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
export function trustBy(options: TrustOptions): (origin: string | undefined) => Promise<tls.SecureContext> {
  const contexts = new Map<string, Promise<tls.SecureContext>>();
  return (origin = '') => {
    const certificate = options.clientCertificates?.find(({ origins }) => origins.includes(origin));
    const name = certificate?.certFile ?? '';
    const context = contexts.get(name) ?? makeContext(options, certificate);
    contexts.set(name, context);
    return context;
  };
}

/** @throws Failure `network_setting_unusable` */
async function makeContext(
  options: TrustOptions,
  certificate: ClientCertificate | undefined,
): Promise<tls.SecureContext> {
  const ca = await additionalAuthorities(options);
  const client = certificate && {
    cert: await readPem('the client certificate file', certificate.certFile),
    key: await readClientKey(certificate.keyFile),
  };
  try {
    return tls.createSecureContext({
      minVersion: 'TLSv1.2',
      ...client,
      ...(ca.length > 0 && { ca: [...nodesOwn(), ...ca] }),
    });
  } catch {
    const what = certificate === undefined ? 'A certificate file' : 'A file of clientCertificates';
    const why = certificate === undefined ? '' : ', or the key is not the certificate’s, or is encrypted';
    throw networkSettingUnusable(what, `it holds no usable PEM certificate or key${why}`);
  }
}

/** The authorities that Node.js trusts: since 22.15 those of the system, too, where the user wants them. */
function nodesOwn(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** A list of authorities replaces those of NODE_EXTRA_CA_CERTS: that file is read again. */
async function additionalAuthorities({ caFile, env }: TrustOptions): Promise<readonly string[]> {
  const extra = env['NODE_EXTRA_CA_CERTS'];
  if (caFile === undefined) return [];
  const own = await readPem('the CA file', caFile);
  return extra ? [own, await readPem('NODE_EXTRA_CA_CERTS', extra)] : [own];
}

async function readPem(what: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw networkSettingUnusable(what, 'the file cannot be read');
  }
}

const maxKeyBytes = 65_536;

/**
 * The private key of a client certificate, PEM. A symbolic link is followed, as certificate tools make them; it has to
 * lead to a plain file, the user's own or root's, that other users cannot read.
 */
async function readClientKey(path: string): Promise<Buffer> {
  const what = `The client key file ${quotedPath(path, 200)}`;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => {
    throw networkSettingUnusable(what, 'the file cannot be read');
  });
  try {
    const stats = await file.stat();
    const why = !stats.isFile()
      ? 'it is not a plain file'
      : stats.size > maxKeyBytes
        ? `it is larger than ${maxKeyBytes} bytes`
        : accessProblem(stats, process.geteuid?.(), { orRoots: true, hint: '; chmod 600' });
    if (why !== undefined) throw networkSettingUnusable(what, why);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
