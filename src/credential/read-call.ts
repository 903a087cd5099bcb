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
  type Input,
  serverIn,
  wantedOf,
} from './formats/call.js';
import { environmentOutput, readVariables } from './formats/environment.js';
import { gitCall, isWholeGitRequest } from './formats/git.js';
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

const maxMs = 5_000;

const maxBytes = 1_048_576;

/** What came on stdin, up to the end that the format defines; or why there is none. */
export type ReadInput =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: string };

const isWhole: Readonly<Record<Exclude<Input, undefined>, (bytes: Uint8Array) => boolean>> = {
  git: isWholeGitRequest,
  bazel: isWholeBazelRequest,
  goauth: isWholeHead,
};

/**
 * Reads a request from stdin: not to its end, which some callers never send, but to the request's own.
 * @throws what `chunks` throws
 */
export async function readInput(
  chunks: AsyncIterable<Uint8Array>,
  input: Exclude<Input, undefined>,
): Promise<ReadInput> {
  const iterator = chunks[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), maxMs);
  });
  let bytes = new Uint8Array();
  try {
    while (!isWhole[input](bytes)) {
      const next = await Promise.race([iterator.next(), timeout]);
      if (next === 'timeout') return { ok: false, why: `it did not end within ${maxMs / 1000} s` };
      if (next.done === true) return { ok: true, bytes };
      bytes = Buffer.concat([bytes, next.value]);
      if (bytes.length > maxBytes) {
        void iterator.return?.();
        return { ok: false, why: `it is longer than ${maxBytes} bytes` };
      }
    }
    void iterator.return?.();
    return { ok: true, bytes };
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Failure `request_unusable` */
export function inputBytes(format: string, read: ReadInput): Uint8Array {
  if (read.ok) return read.bytes;
  throw requestUnusable(format, read.why);
}
