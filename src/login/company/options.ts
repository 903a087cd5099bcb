import { gateUrl } from '../../core/url.js';
import { argumentRefused, usageContradictory, usageWrong } from '../../core/usage-failures.js';
import { tokenFilePath } from '../../stores/kept-provider.js';
import type { GivenProvider } from '../ports.js';

/** What of a command line says by which provider a login is made. */
export interface ProviderArguments {
  readonly idp: string | undefined;
  readonly idpClientId: string | undefined;
  readonly idpClientSecretFile: string | undefined;
  readonly idpTokenFile: string | undefined;
}

const help = 'postern login --help';

/** Whether the options that name a provider go together. @throws Failure `usage` */
function checkProvider(args: ProviderArguments): void {
  const { idp, idpClientId, idpClientSecretFile, idpTokenFile } = args;
  if (idp === undefined) {
    if ((idpClientId ?? idpClientSecretFile ?? idpTokenFile) === undefined) return;
    throw usageWrong('Say which provider is meant: --idp ISSUER.', help);
  }
  const gated = gateUrl(idp);
  const why = gated.ok ? problemOf(gated.url) : 'it is no usable URL';
  if (why !== undefined) throw argumentRefused('--idp', why, help);
  if (idpClientId === undefined) throw usageWrong('--idp needs the client there: --idp-client-id ID.', help);
  if (idpClientId === '' || /[^\x20-\x7e]/.test(idpClientId)) {
    throw argumentRefused('--idp-client-id', 'it is visible ASCII', help);
  }
  if (idpTokenFile === '' || idpTokenFile === '-') {
    throw argumentRefused('--idp-token-file', 'it is read anew for each token, so it has to be a file', help);
  }
  if (idpClientSecretFile === '-') throw usageContradictory('--idp-client-secret-file', '-', help);
}

/** An issuer is https, without query and fragment (OpenID Connect Discovery 1.0, section 2). */
function problemOf({ protocol, hostname, search, hash }: URL): string | undefined {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol !== 'https:' && !isLocal) return 'it is not https';
  return search === '' && hash === '' ? undefined : 'an issuer has no query and no fragment';
}

/** The provider that options name, without its client's secret; undefined: none. @throws Failure `usage` */
export function readProvider(args: ProviderArguments): GivenProvider | undefined {
  checkProvider(args);
  const { idp: issuer, idpClientId: clientId, idpTokenFile } = args;
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, tokenFile: idpTokenFile === undefined ? undefined : tokenFilePath(idpTokenFile) };
}
