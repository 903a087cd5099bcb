import { readFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { networkSettingUnusable } from '../../errors/network.js';
import type { Environment } from './proxy-settings.js';

export interface TrustOptions {
  readonly env: Environment;
  /** PEM file with authorities to trust beside those that Node trusts. */
  readonly caFile?: string;
  /** PEM files of the certificate that this client shows. */
  readonly clientCertificate?: { readonly certFile: string; readonly keyFile: string };
}

/**
 * Makes the TLS context: Node's authorities, those of NODE_EXTRA_CA_CERTS and of `caFile`; the client
 * certificate; TLS 1.2 or newer.
 * @throws Failure `network_setting_unusable`
 */
export async function loadTrust(options: TrustOptions): Promise<SecureContext> {
  const { createSecureContext, rootCertificates } = await import('node:tls');
  const ca = await additionalAuthorities(options);
  const client = options.clientCertificate;
  const cert = client && (await readPem('the client certificate file', client.certFile));
  const key = client && (await readPem('the client key file', client.keyFile));
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca.length > 0 ? { ca: [...rootCertificates, ...ca] } : {}),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch {
    throw networkSettingUnusable('A certificate file', 'it holds no usable PEM certificate or key');
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
