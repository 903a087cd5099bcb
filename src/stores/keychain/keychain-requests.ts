import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { service } from './item-parts.js';
import { entryOptions, loadNative } from './native.js';

/**
 * Performs one request in a process of its own, which is killed when `signal` is aborted. Request and answer pass
 * through pipes: nothing secret stands in its arguments or environment.
 * @throws the signal's reason
 */
export function requestInChild(
  request: ItemRequest,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ItemAnswer> {
  return new Promise((resolve, reject) => {
    const entry = join(import.meta.dirname, 'keychain-child.js');
    const child = spawn(process.execPath, [entry], {
      env: withoutNodeOptions(env),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', abort);
      child.kill('SIGKILL');
      child.removeAllListeners();
      child.on('error', () => undefined);
      settle();
    };
    const abort = (): void => end(() => reject(signal.reason));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      if (said.endsWith('\n')) end(() => resolve(answerOf(said)));
    });
    child.stdin.on('error', () => undefined); // it ended early: `close` says so
    child.on('error', (error) => end(() => resolve(failed(error.message))));
    child.on('close', (code) => end(() => resolve(failed(`its helper process ended (${code ?? 'killed'})`))));
    signal.addEventListener('abort', abort);
    if (signal.aborted) {
      abort();
    } else {
      child.stdin.write(`${JSON.stringify(request)}\n`); // and stays open: its end is the child's
    }
  });
}

function answerOf(line: string): ItemAnswer {
  try {
    return JSON.parse(line) as ItemAnswer;
  } catch {
    return failed('its helper process gave no answer'); // the system's libraries may print there, too
  }
}

function failed(message: string): ItemAnswer {
  return { ok: false, problem: 'failed', message };
}

/** NODE_OPTIONS, NODE_DEBUG and the like could load code into a process that has secrets, or log them. */
function withoutNodeOptions(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^NODE_/i.test(name)));
}

/** One use of one item. `unlock` writes an item of no worth and removes it: the keychain asks for its password. */
export interface ItemRequest {
  readonly operation: 'read' | 'write' | 'remove' | 'unlock';
  readonly account: string;
  /** For `write`. */
  readonly text?: string;
}

/** What came of it. `value`: the text read, or whether something was removed; null when there was no item. */
export type ItemAnswer =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly problem: 'no_package' | 'failed'; readonly message: string };

/** Performs one request with the platform's keychain. It may take for ever and cannot be ended. Never rejects. */
export async function performItemRequest(request: ItemRequest): Promise<ItemAnswer> {
  let native: ReturnType<typeof loadNative>;
  try {
    native = loadNative();
  } catch (error) {
    return { ok: false, problem: 'no_package', message: messageOf(error) };
  }
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
    return { ok: false, problem: 'failed', message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
