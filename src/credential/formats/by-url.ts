import { asObject, parseJson, parseObject, stringField } from '../../core/text/json.js';
import { requestUnusable, serverNotNamed, wordsWrong } from '../failures.js';
import {
  type CallContext,
  type CredentialArguments,
  type CredentialCall,
  getCall,
  serverIn,
  wantedOf,
} from './call.js';
import { bazelOutput, goauthOutput, kubectlOutput, plainOutput } from './plain.js';

export function kubectlCall(args: CredentialArguments, { env }: CallContext): CredentialCall {
  const named = serverIn('kubectl', args.words);
  const { apiVersion, server } = readClusterInfo(env['KUBERNETES_EXEC_INFO'] ?? '');
  if (named === undefined && server === undefined) {
    throw serverNotNamed('kubectl', 'KUBERNETES_EXEC_INFO (provideClusterInfo: true)');
  }
  const wanted = wantedOf(args, named, server);
  return getCall(args, wanted, { output: (granted, now) => kubectlOutput(granted, apiVersion, now) });
}

export function bazelCall(args: CredentialArguments, { input }: CallContext): CredentialCall {
  const named = serverIn('bazel', args.words.slice(0, -1));
  if (args.words.at(-1) !== 'get') throw wordsWrong('bazel', 'is called with get as its last word');
  const wanted = wantedOf(args, named, readBazelUri(input));
  return getCall(args, wanted, { unmapped: '{"headers":{}}\n', output: bazelOutput });
}

/**
 * Terraform calls with `get HOST` at the end; a person with the server alone. What terraform would store or forget, only
 * postern's own commands do.
 */
export function terraformCall(args: CredentialArguments): CredentialCall {
  const { words } = args;
  const at = words.findLastIndex((word) => word === 'get' || word === 'store' || word === 'forget');
  const asks = at !== -1 && at === words.length - 2;
  const named = serverIn('terraform', asks ? words.slice(0, at) : words);
  if (asks && words[at] !== 'get') {
    throw wordsWrong('terraform', `does not ${words[at]} logins: use postern login and postern logout`);
  }
  if (!asks && named === undefined) {
    throw wordsWrong('terraform', 'needs a server, or get and a host as terraform adds them');
  }
  const wanted = wantedOf(args, named, asks ? `https://${words[at + 1]}/` : undefined);
  const unmapped = asks ? '{}\n' : undefined;
  return getCall(args, wanted, { unmapped, output: (granted) => plainOutput('terraform', granted) });
}

/** Go calls with no word more first; after a 4xx with the URL, and the head of that response on stdin. */
export function goauthCall(args: CredentialArguments, { input }: CallContext): CredentialCall {
  const [first, url, more] = args.words;
  if (more !== undefined) throw wordsWrong('goauth', 'takes a server and the URL that go adds');
  if (first === undefined) return { kind: 'fixed', output: '' };
  const target = url ?? (first.includes('://') ? first : undefined);
  const refused = url !== undefined && isRefusal(input);
  const wanted = wantedOf(args, first, target);
  return getCall(args, wanted, { unmapped: '', refused, output: (granted) => goauthOutput(granted, target) });
}

/** Has the whole object come? Its last byte is looked at first, as each parse costs. */
export function isWholeBazelRequest(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[end - 1] ?? 0)) end -= 1;
  return bytes[end - 1] === 0x7d && parseJson(bytes).ok;
}

/** `{"uri": "…"}`, and whatever else a later caller adds. @throws Failure `request_unusable` */
function readBazelUri(bytes: Uint8Array): string {
  const object = parseObject(bytes);
  const uri = object && stringField(object, 'uri');
  if (uri === undefined) throw requestUnusable('bazel', 'it has to be a JSON object with a "uri"');
  return uri;
}

/** Has the head of the response come that go passes on? */
export function isWholeHead(bytes: Uint8Array): boolean {
  return /\r?\n\r?\n/.test(new TextDecoder('latin1').decode(bytes));
}

/** Did the server refuse the credential? go asks again after any 4xx, of which few mean that. */
function isRefusal(head: Uint8Array): boolean {
  return /^HTTP\/[0-9.]+ 401(?: |\r?\n)/.test(new TextDecoder('latin1').decode(head.subarray(0, 64)));
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;

/** Certificates of a cluster are in it, too. */
const maxLength = 262_144;

/**
 * KUBERNETES_EXEC_INFO; '' where somebody else calls. Its `server` is the cluster's address, where the configuration says
 * `provideClusterInfo`.
 * @throws Failure `request_unusable`
 */
function readClusterInfo(text: string): { readonly apiVersion: string; readonly server?: string | undefined } {
  if (text === '') return { apiVersion: apiVersions[0] };
  const info = text.length > maxLength ? undefined : parseObject(text.trim());
  const apiVersion = apiVersions.find((one) => one === info?.['apiVersion']);
  if (apiVersion === undefined) {
    throw requestUnusable('kubectl', `KUBERNETES_EXEC_INFO has to be an ExecCredential of ${apiVersions.join(' or ')}`);
  }
  const cluster = asObject(asObject(info?.['spec'])?.['cluster']);
  return { apiVersion, server: cluster && stringField(cluster, 'server') };
}
