import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { KeychainOptions } from '../../../src/stores/keychain/items.js';
import type { Variables } from '../../support/home.js';

export interface KeychainCommand {
  readonly operation: 'ready' | 'read' | 'write' | 'remove' | 'fast';
  readonly key?: string;
  readonly value?: string;
}

export interface KeychainResult {
  readonly value?: unknown;
  readonly failure?: {
    readonly code: string;
    readonly exit: number;
    readonly message: string;
    readonly remedy: string;
  };
  /** Every line that the person was shown so far. */
  readonly notices?: readonly string[];
}

/** A process with a keychain; leaving the scope kills it. */
export interface KeychainSession extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  do(operation: KeychainCommand['operation'], key?: string, value?: string): Promise<KeychainResult>;
}

const worker = fileURLToPath(new URL('./keychain-worker.js', import.meta.url));

/** Starts a process that uses the keychain of the bus named in `env`. */
export function openKeychain(
  env: Variables,
  options: {
    readonly platform?: string;
    readonly interactive?: boolean;
    readonly limits?: Partial<KeychainOptions['limits']>;
  } = {},
): KeychainSession {
  const child = spawn(process.execPath, [worker, JSON.stringify(options)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const answers: KeychainResult[] = [];
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = `${text}${piece}`.split('\n');
    text = lines.pop() ?? '';
    answers.push(...lines.map((line) => JSON.parse(line) as KeychainResult));
    if (lines.length > 0) child.emit('answer');
  });
  child.stdin.on('error', () => undefined);
  return {
    child,
    pid: child.pid ?? -1,
    do: async (operation, key, value) => {
      child.stdin.write(`${JSON.stringify({ operation, key, value })}\n`);
      if (answers.length === 0) await Promise.race([once(child, 'answer'), closed]);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('the process with the keychain ended');
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Every method, each with its result. */
export async function everything(keychain: KeychainSession): Promise<KeychainResult[]> {
  const [key, value] = ['cd'.repeat(32), 'canary-of-the-trouble-test'];
  return [
    await keychain.do('ready'),
    await keychain.do('read', key),
    await keychain.do('write', key, value),
    await keychain.do('remove', key),
  ];
}

/** Each failed so, with exit code 7. */
export function allFailed(results: readonly KeychainResult[], code: string, remedy: RegExp): void {
  for (const { failure } of results) {
    assert.equal(failure?.code, code);
    assert.equal(failure.exit, 7);
    assert.match(failure.remedy, remedy);
  }
}
