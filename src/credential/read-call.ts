import type { CredentialFormat } from './credential.options.js';
import { serverNotNamed } from './failures.js';
import { bazelCall, goauthCall, kubectlCall, terraformCall } from './formats/by-url.js';
import {
  type CallContext,
  type CredentialArguments,
  type CredentialCall,
  getCall,
  serverIn,
  wantedOf,
} from './formats/call.js';
import { environmentOutput, readVariables } from './formats/environment.js';
import { gitCall } from './formats/git.js';
import { headersOutput, plainOutput } from './formats/plain.js';

const calls = { git: gitCall, bazel: bazelCall, goauth: goauthCall, kubectl: kubectlCall, terraform: terraformCall };

/** The call that words, environment and stdin make. @throws Failure `usage_wrong`, `request_unusable` */
export function readCall(format: CredentialFormat, args: CredentialArguments, context: CallContext): CredentialCall {
  return isPlain(format) ? plainCall(format, args, context) : calls[format](args, context);
}

type ByServer = Exclude<CredentialFormat, keyof typeof calls>;

function isPlain(format: CredentialFormat): format is ByServer {
  return !(format in calls);
}

function plainCall(format: ByServer, args: CredentialArguments, { env }: CallContext): CredentialCall {
  const named = serverIn(format, args.words);
  const variable = 'CLAUDE_CODE_MCP_SERVER_URL';
  const target = format === 'headers' && env[variable] !== '' ? env[variable] : undefined;
  if (named === undefined && target === undefined) {
    throw serverNotNamed(format, format === 'headers' ? variable : undefined);
  }
  const wanted = wantedOf(format, { ...args, wholeHost: false }, named, target);
  if (format === 'headers') return getCall(args, wanted, { output: (granted) => headersOutput(granted) });
  if (format !== 'env') return getCall(args, wanted, { output: (granted) => plainOutput(format, granted) });
  const variables = readVariables(args.var);
  return getCall(args, wanted, { output: (granted) => environmentOutput(granted, args.shell, variables) });
}
