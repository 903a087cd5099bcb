import { printable, quoted } from '../primitives/printable.js';
import { exitCode, Failure } from './failure.js';
import { codeOnly, type NetworkTrouble, proxyRemedy, proxyWords } from './network.js';

type Explanation = readonly [problem: string, remedy: string];

const askOperator = 'Ask the operator of that server to renew or correct its certificate.';
const addAuthority =
  'If your organisation issues its own certificates, name its CA file in NODE_EXTRA_CA_CERTS; else do not trust this server.';

const explanations: Readonly<Record<string, Explanation>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', addAuthority],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'its certificate comes from an authority that is not trusted here',
    addAuthority,
  ],
  UNABLE_TO_GET_ISSUER_CERT: ['the authority of its certificate is not known here', addAuthority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the authority of its certificate is not known here', addAuthority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the authority of its certificate is not known here', addAuthority],
  CERT_UNTRUSTED: ['its certificate is not trusted here', addAuthority],
  CERT_HAS_EXPIRED: ['its certificate has expired', askOperator],
  CERT_NOT_YET_VALID: [
    'its certificate is not valid yet',
    'Check the clock of this machine; if it is right, ask the operator of that server.',
  ],
  CERT_REVOKED: ['its certificate was revoked', askOperator],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'Check the host name; if it is right, ask the operator of that server to correct its certificate.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'it does not speak TLS on this port',
    'Check the port; a server on this machine may want http instead of https.',
  ],
  EPROTO: ['it does not speak TLS that this program accepts (1.2 or newer)', askOperator],
};

const certificateCode =
  /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Whether a code, as Node gives it, is one of TLS: certificate, handshake or protocol. */
export function isTlsCode(code: string): boolean {
  return certificateCode.test(code) || /^ERR_(?:TLS|SSL|OSSL)_/.test(code) || code === 'EPROTO';
}

/**
 * The server could not prove who it is, or speaks no TLS that is safe. There is no way around it: the
 * certificate is always checked, NODE_TLS_REJECT_UNAUTHORIZED=0 notwithstanding.
 */
export function tlsFailed(trouble: NetworkTrouble & { readonly names?: string }): Failure {
  const [problem, remedy] = explanations[trouble.code] ?? ['the TLS handshake failed', askOperator];
  const names = trouble.names === undefined ? '' : ` (it names ${quoted(trouble.names, 120)})`;
  return new Failure({
    code: 'tls_failed',
    exit: exitCode.network,
    message: `${proxyWords(trouble) || 'No safe connection to '}${quoted(`${trouble.host}:${trouble.port}`, 120)}: ${problem}${names} (${printable(trouble.code, 60)}).`,
    remedy: proxyRemedy(trouble) ?? remedy,
    cause: codeOnly(trouble.code),
  });
}
