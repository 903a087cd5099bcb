import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A program to run with one word, its input on stdin: what is secret never is an argument. */
export interface HelperRun {
  readonly path: string;
  readonly operation: 'get' | 'store' | 'erase';
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type HelperEnd =
  | { readonly kind: 'ended'; readonly code: number | null; readonly stdout: string }
  | { readonly kind: 'timeout' | 'too_much' | 'not_started' };

/** Far more than a credential. */
const mostBytes = 262_144;

/**
 * Runs it to its end, or kills it with all that it has started, after the limit, too much output, or Ctrl-C. Its
 * stderr is not read: a prompt or a progress message there is not for us.
 * @throws the signal's reason
 */
export async function runHelper(run: HelperRun): Promise<HelperEnd> {
  const { path, operation, env, signal } = run;
  signal.throwIfAborted();
  const ownGroup = process.platform !== 'win32';
  const child = spawn(path, [operation], {
    env,
    cwd: '/',
    detached: ownGroup,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return await new Promise<HelperEnd>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (act: () => void) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', aborted);
      act();
    };
    const stop = (act: () => void) => {
      if (child.pid !== undefined) kill(ownGroup ? -child.pid : child.pid);
      child.stdout.destroy(); // what it has started may hold the other end
      settle(act);
    };
    const aborted = () => stop(() => reject(signal.reason));
    const limit = setTimeout(() => stop(() => resolve({ kind: 'timeout' })), run.limitMs);
    signal.addEventListener('abort', aborted, { once: true });
    child.stdin.on('error', () => undefined); // it may end before it has read its input
    child.stdout.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      length += bytes.length;
      if (length > mostBytes) stop(() => resolve({ kind: 'too_much' }));
    });
    child.once('error', () => settle(() => resolve({ kind: 'not_started' })));
    child.once('close', (code) => {
      settle(() => resolve({ kind: 'ended', code, stdout: Buffer.concat(chunks).toString() }));
    });
    child.stdin.end(run.input);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}

/** The PATH's absolute folders, the working folder left out: nothing that was put there is run by accident. */
export function safePath(path: string | undefined, workingFolder: string): readonly string[] {
  const here = realPath(workingFolder);
  return (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && realPath(folder) !== here);
}

/** The first executable file of that name in those folders. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
