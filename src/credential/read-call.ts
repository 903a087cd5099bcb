import type { CredentialFormat } from './credential.options.js';
import { requestUnusable, serverNotNamed } from './failures.js';
import {
  bazelCall,
  goauthCall,
  isWholeBazelRequest,
  isWholeHead,
  kubectlCall,
  terraformCall,
} from './formats/by-url.js';
import {
  type CallContext,
  type CredentialArguments,
  type CredentialCall,
  getCall,
  serverIn,
  wantedOf,
} from './formats/call.js';
import { environmentOutput, readVariables } from './formats/environment.js';
import { gitCall, isWholeGitRequest } from './formats/git.js';
import { headersOutput, plainOutput } from './formats/plain.js';

const calls = { git: gitCall, bazel: bazelCall, goauth: goauthCall, kubectl: kubectlCall, terraform: terraformCall };

/** The call that words, environment and stdin make. @throws Failure `usage_wrong`, `request_unusable` */
export function readCall(args: CredentialArguments, context: CallContext): CredentialCall {
  const { format } = args;
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
  const wanted = wantedOf({ ...args, wholeHost: false }, named, target);
  if (format === 'headers') return getCall(args, wanted, { output: (granted) => headersOutput(granted) });
  if (format !== 'env') return getCall(args, wanted, { output: (granted) => plainOutput(format, granted) });
  const variables = readVariables(args.var);
  return getCall(args, wanted, { output: (granted) => environmentOutput(granted, args.shell, variables) });
}

const maxMs = 5_000;

const maxBytes = 1_048_576;

/** What came on stdin, up to the end that the format defines; `endless`: it did not come in time, or is too long. */
export type ReadInput = Uint8Array | 'endless';

/** What tells that the request on stdin has ended; undefined: nothing is read. */
export function endOfInput({ format, words }: CredentialArguments): ((bytes: Uint8Array) => boolean) | undefined {
  const last = words.at(-1);
  if (format === 'git' && (last === 'get' || last === 'erase')) return isWholeGitRequest;
  if (format === 'bazel' && last === 'get') return isWholeBazelRequest;
  return format === 'goauth' && words.length === 2 ? isWholeHead : undefined;
}

/**
 * Reads a request from stdin: not to its end, which some callers never send, but to the request's own.
 * @throws what `chunks` throws
 */
export async function readInput(
  chunks: AsyncIterable<Uint8Array>,
  isWhole: (bytes: Uint8Array) => boolean,
): Promise<ReadInput> {
  const iterator = chunks[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), maxMs);
  });
  let bytes = new Uint8Array();
  try {
    while (!isWhole(bytes)) {
      const next = await Promise.race([iterator.next(), timeout]);
      if (next === 'timeout') return 'endless';
      if (next.done === true) return bytes;
      bytes = Buffer.concat([bytes, next.value]);
      if (bytes.length > maxBytes) break;
    }
    void iterator.return?.();
    return bytes.length > maxBytes ? 'endless' : bytes;
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Failure `request_unusable` */
export function inputBytes(format: string, read: ReadInput): Uint8Array {
  if (read !== 'endless') return read;
  throw requestUnusable(format, `it did not end within ${maxMs / 1000} s, or is longer than ${maxBytes} bytes`);
}
