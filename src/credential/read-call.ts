import type { CredentialFormat } from './credential.options.js';
import { serverNotNamed, wordsWrong } from './failures.js';
import { bazelCall, goauthCall, kubectlCall, terraformCall } from './formats/by-url.js';
import {
  type CredentialArguments,
  type CredentialCall,
  type Environment,
  minLifeOf,
  serverIn,
  usualCall,
  wantedOf,
} from './formats/call.js';
import { environmentOutput, readVariables } from './formats/environment.js';
import { gitCall } from './formats/git.js';
import { bareOutput, curlOutput, type Granted, headerOutput, headersOutput, valueOutput } from './formats/plain.js';

/**
 * What is asked for, by words, environment and stdin.
 * @param input What `inputOf` said was to be read.
 * @throws Failure `usage_wrong`, `request_unusable`
 */
export function readCall(
  format: CredentialFormat,
  args: CredentialArguments,
  given: { readonly env: Environment; readonly input: Uint8Array },
): CredentialCall {
  switch (format) {
    case 'git':
      return gitCall(args, given.input);
    case 'bazel':
      return bazelCall(args, given.input);
    case 'goauth':
      return goauthCall(args, given.input);
    case 'kubectl':
      return kubectlCall(args, given.env);
    case 'terraform':
      return terraformCall(args);
    default:
      return plainCall(format, args, given.env);
  }
}

function plainCall(
  format: Exclude<CredentialFormat, 'git' | 'bazel' | 'goauth' | 'kubectl' | 'terraform'>,
  args: CredentialArguments,
  env: Environment,
): CredentialCall {
  const named = serverIn(format, args.words);
  const variable = 'CLAUDE_CODE_MCP_SERVER_URL';
  const said = format === 'headers' && env[variable] !== '' ? env[variable] : undefined;
  if (named === undefined && said === undefined) {
    throw format === 'headers'
      ? serverNotNamed(format, variable)
      : wordsWrong(format, 'needs a server: its URL, or the name of a login');
  }
  const output = {
    headers: headersOutput,
    header: headerOutput,
    value: valueOutput,
    token: bareOutput,
    curl: curlOutput,
    env: environment(args),
  }[format];
  const wanted = wantedOf(format, { ...args, wholeHost: false }, named, said);
  return { ...usualCall, wanted, minLifeMs: minLifeOf(args), output };
}

function environment(args: CredentialArguments): (granted: Granted) => string {
  const variables = args.format === 'env' ? readVariables(args.var) : [];
  return (granted) => environmentOutput(granted, args.shell, variables);
}
