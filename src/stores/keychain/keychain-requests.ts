import { join } from 'node:path';
import { runProgram } from '../run-program.js';
import { service } from './item-parts.js';
import { entryOptions, loadNative } from './native.js';
import { keychainWord, singleExecutable } from './single-executable.js';

/** One use of one item. `unlock` writes an item of no worth and removes it: the keychain asks for its password. */
export interface ItemRequest {
  readonly operation: 'read' | 'write' | 'remove' | 'unlock';
  readonly account: string;
  /** For `write`. */
  readonly text?: string;
}

/** `value`: the text that was read, or whether something was removed; null when there was no item. */
export type ItemResponse =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly problem: 'no_package' | 'failed'; readonly message: string };

/**
 * Performs one request in a child process, which is killed when `signal` is aborted. Request and response pass through
 * pipes: no secret is in its arguments or environment.
 * @throws the signal's reason
 */
export async function requestInChild(
  request: ItemRequest,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ItemResponse> {
  const end = await runProgram({
    command: childCommand(),
    env: withoutNodeOptions(env),
    folder: '/',
    input: { text: `${JSON.stringify(request)}\n`, upTo: 'first-line' }, // the end of its stdin is its own
    output: ['stdout'],
    signal,
  });
  if (end.kind === 'not_started') return failed(end.error);
  if (end.kind !== 'ended') return failed('its helper process said far too much');
  const [line = ''] = end.stdout.split('\n');
  if (line === '') return failed(`its helper process ended (${end.code ?? 'killed'})`);
  try {
    return JSON.parse(line) as ItemResponse;
  } catch {
    return failed('its helper process gave no answer'); // system libraries may print there
  }
}

function childCommand(): readonly string[] {
  const isSingle = singleExecutable() !== undefined;
  return [process.execPath, isSingle ? keychainWord : join(import.meta.dirname, 'keychain-child.js')];
}

/** NODE_OPTIONS, NODE_DEBUG and the like could load code into a process that has secrets, or log them. */
function withoutNodeOptions(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^NODE_/i.test(name)));
}

/** Performs one request with the platform's keychain. It may hang and cannot be cancelled. Never rejects. */
export async function performItemRequest(request: ItemRequest): Promise<ItemResponse> {
  let native: Awaited<ReturnType<typeof loadNative>>;
  try {
    native = await loadNative(process.env);
  } catch (error) {
    return failed(error, 'no_package');
  }
  const response = await performOnce(native, request);
  return !response.ok && lostSession.test(response.message) ? performOnce(native, request) : response;
}

/**
 * KWallet: a key of the session that begins with a zero, as one in 256 does, is too short for it, or leads to another secret
 * than ours; and it may forget a session that it has just opened. The next session has another key.
 */
const lostSession = /Can't find session|Unpad Error|public key size is invalid/;

async function performOnce(
  native: Awaited<ReturnType<typeof loadNative>>,
  request: ItemRequest,
): Promise<ItemResponse> {
  try {
    const entry = new native.AsyncEntry(service, request.account, entryOptions);
    switch (request.operation) {
      case 'read':
        return { ok: true, value: (await entry.getPassword()) ?? null };
      case 'remove':
        return { ok: true, value: await entry.deleteCredential() };
      case 'write':
        await entry.setPassword(request.text ?? '');
        return { ok: true, value: true };
      case 'unlock':
        await entry.setPassword('unlocked');
        return { ok: true, value: await entry.deleteCredential() };
    }
  } catch (error) {
    return failed(error);
  }
}

function failed(cause: unknown, problem: 'no_package' | 'failed' = 'failed'): ItemResponse {
  return { ok: false, problem, message: cause instanceof Error ? cause.message : String(cause) };
}

/** Security.framework's results by their text (SecCopyErrorMessageString) or, where it has none, their number. */
const macosMessages: readonly (readonly [pattern: RegExp, trouble: MacosTrouble])[] = [
  [/interaction is (?:not allowed|required)|-253(?:08|15)\b/i, 'locked'],
  [/user canceled|passphrase you entered is not correct|-128\b|-25293\b/i, 'denied'],
  [/keychain could not be found|no keychain is available|-25(?:291|294|307)\b/i, 'no_collection'],
];

/** `locked`: it may not show its prompt (SSH, a background job). `denied`: a person said no. */
type MacosTrouble = 'locked' | 'denied' | 'no_collection';

/** What the macOS Keychain's refusal means, by the message that the package passes on; undefined for any other. */
export function macosTrouble(message: string): MacosTrouble | undefined {
  return macosMessages.find(([pattern]) => pattern.test(message))?.[1];
}
