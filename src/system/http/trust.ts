import { readFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { networkSettingUnusable } from '../../errors/network.js';
import { readClientKey } from './client-key-file.js';
import type { Environment } from './proxy-settings.js';

/** The certificate that this client shows, as PEM files, and to whom: nobody else gets to see it. */
export interface ClientCertificate {
  /** As `URL.origin` spells them. */
  readonly origins: readonly string[];
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TrustOptions {
  readonly env: Environment;
  /** PEM file with authorities to trust beside those that Node trusts. */
  readonly caFile?: string;
  readonly clientCertificates?: readonly ClientCertificate[];
}

/** The certificate that a person named for this origin; a proxy, which has none here, gets none. */
export function certificateFor(
  options: Pick<TrustOptions, 'clientCertificates'>,
  origin: string | undefined,
): ClientCertificate | undefined {
  return options.clientCertificates?.find(({ origins }) => origin !== undefined && origins.includes(origin));
}

/**
 * Makes the TLS context: Node's authorities, those of NODE_EXTRA_CA_CERTS and of `caFile`; the client
 * certificate; TLS 1.2 or newer.
 * @throws Failure `network_setting_unusable`
 */
export async function loadTrust(
  options: TrustOptions,
  certificate: ClientCertificate | undefined,
): Promise<SecureContext> {
  const { createSecureContext, rootCertificates } = await import('node:tls');
  const ca = await additionalAuthorities(options);
  const cert = certificate && (await readPem('the client certificate file', certificate.certFile));
  const key = certificate && readClientKey(certificate.keyFile);
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca.length > 0 ? { ca: [...rootCertificates, ...ca] } : {}),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch {
    const what = certificate === undefined ? 'A certificate file' : 'A file of clientCertificates';
    const why = certificate === undefined ? '' : ', or the key is not the certificate’s, or is encrypted';
    throw networkSettingUnusable(what, `it holds no usable PEM certificate or key${why}`);
  }
}

/** Giving `ca` replaces all that Node trusts, NODE_EXTRA_CA_CERTS too, so that file is added again. */
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
