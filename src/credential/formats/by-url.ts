import { asObject, parseJson, parseObject, stringField } from '../../core/text/json.js';
import { requestUnusable, serverNotNamed, wordsWrong } from '../failures.js';
import {
  type CredentialArguments,
  type CredentialCall,
  type Environment,
  minLifeOf,
  serverIn,
  usualCall,
  wantedOf,
} from './call.js';
import { bazelOutput, type Granted, goauthOutput, kubectlOutput, terraformOutput } from './plain.js';

export function kubectlCall(args: CredentialArguments, env: Environment): CredentialCall {
  const named = serverIn('kubectl', args.words);
  const { apiVersion, server } = readClusterInfo(env['KUBERNETES_EXEC_INFO'] ?? '');
  if (named === undefined && server === undefined) {
    throw serverNotNamed('kubectl', 'KUBERNETES_EXEC_INFO (provideClusterInfo: true)');
  }
  const output = (granted: Granted, now: number) => kubectlOutput(granted, apiVersion, now);
  return {
    ...usualCall,
    wanted: wantedOf('kubectl', args, named, server),
    minLifeMs: minLifeOf(args),
    output,
  };
}

export function bazelCall(args: CredentialArguments, input: Uint8Array): CredentialCall {
  const named = serverIn('bazel', args.words.slice(0, -1));
  if (args.words.at(-1) !== 'get') throw wordsWrong('bazel', 'is called with get as its last word');
  const wanted = wantedOf('bazel', args, named, readBazelUri(input));
  const unmapped = '{"headers":{}}\n';
  return { ...usualCall, wanted, unmapped, minLifeMs: minLifeOf(args), output: bazelOutput };
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
  return {
    ...usualCall,
    wanted: wantedOf('terraform', args, named, asks ? `https://${words[at + 1]}/` : undefined),
    unmapped: asks ? '{}\n' : undefined,
    minLifeMs: minLifeOf(args),
    output: terraformOutput,
  };
}

/** Go calls with no word more first; after an answer of 4xx with the URL, and that answer on stdin. */
export function goauthCall(args: CredentialArguments, input: Uint8Array): CredentialCall {
  const [first, url, more] = args.words;
  if (more !== undefined) throw wordsWrong('goauth', 'takes a server and the URL that go adds');
  if (first === undefined) return { kind: 'answer', output: '' };
  const target = url ?? (first.includes('://') ? first : undefined);
  const wanted = wantedOf('goauth', args, first, target);
  const refused = url !== undefined && isRefusal(input);
  const output = (granted: Granted) => goauthOutput(granted, target);
  return { ...usualCall, wanted, unmapped: '', refused, minLifeMs: minLifeOf(args), output };
}

/** Has the whole object come? Told by its last byte first, as each look costs. */
export function isWholeBazelRequest(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[end - 1] ?? 0)) end -= 1;
  return bytes[end - 1] === 0x7d && parseJson(bytes).ok;
}

/** `{"uri": "…"}`, and whatever else a later caller adds. @throws Failure `request_unusable` */
export function readBazelUri(bytes: Uint8Array): string {
  const object = parseObject(bytes);
  const uri = object && stringField(object, 'uri');
  if (uri === undefined) throw requestUnusable('bazel', 'it has to be a JSON object with a "uri"');
  return uri;
}

/** Has the head of the answer come that go passes on? */
export function isWholeHead(bytes: Uint8Array): boolean {
  return /\r?\n\r?\n/.test(new TextDecoder('latin1').decode(bytes));
}

/** Did the server refuse the credential? go asks again after any 4xx, most of which mean something else. */
export function isRefusal(head: Uint8Array): boolean {
  return /^HTTP\/[0-9.]+ 401(?: |\r?\n)/.test(new TextDecoder('latin1').decode(head.subarray(0, 64)));
}

export interface ClusterInfo {
  readonly apiVersion: string;
  /** The cluster's address, where the configuration says `provideClusterInfo`. */
  readonly server: string | undefined;
}

const known = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Certificates of a cluster are in it, too. */
const mostCharacters = 262_144;

/** KUBERNETES_EXEC_INFO; '' where somebody else calls. @throws Failure `request_unusable` */
export function readClusterInfo(text: string): ClusterInfo {
  if (text === '') return { apiVersion: known[0] ?? '', server: undefined };
  const info = text.length > mostCharacters ? undefined : parseObject(text.trim());
  const apiVersion = info && stringField(info, 'apiVersion');
  if (info === undefined || apiVersion === undefined || !known.includes(apiVersion)) {
    throw requestUnusable('kubectl', `KUBERNETES_EXEC_INFO has to be an ExecCredential of ${known.join(' or ')}`);
  }
  const cluster = asObject(asObject(info['spec'])?.['cluster']);
  return { apiVersion, server: cluster && stringField(cluster, 'server') };
}
