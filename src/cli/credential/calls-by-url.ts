import { serverNotNamed, wordsWrong } from '../../errors/credential.js';
import { readBazelUri } from './bazel.js';
import {
  type CredentialArguments,
  type CredentialCall,
  type Environment,
  minLifeOf,
  serverIn,
  usualCall,
  wantedOf,
} from './call.js';
import { isRefusal } from './goauth.js';
import { readClusterInfo } from './kubectl.js';
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
  if (args.words.at(-1) !== 'get') {
    throw wordsWrong('bazel', 'is called with get as its last word');
  }
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
  if (more !== undefined) {
    throw wordsWrong('goauth', 'takes a server and the URL that go adds');
  }
  if (first === undefined) {
    return { kind: 'answer', output: '' };
  }
  const target = url ?? (first.includes('://') ? first : undefined);
  const wanted = wantedOf('goauth', args, first, target);
  const refused = url !== undefined && isRefusal(input);
  const output = (granted: Granted) => goauthOutput(granted, target);
  return { ...usualCall, wanted, unmapped: '', refused, minLifeMs: minLifeOf(args), output };
}
