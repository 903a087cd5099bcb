import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Startable, windowsCommand } from './windows-command.js';

/**
 * What a program has on stdin: nothing and an end, nothing without an end, or a text; `upTo`: and the end only when
 * the first line has come back.
 */
export type ProgramInput = 'closed' | 'open' | { readonly text: string; readonly upTo: 'its-end' | 'first-line' };

type Stream = 'stdout' | 'stderr';

export interface ProgramCommand {
  /** Its words, or a line for the platform's shell. What is secret never is an argument. */
  readonly command: readonly string[] | string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly input: ProgramInput;
  /** What is read of it, both where this is not given; the rest goes nowhere. */
  readonly output?: readonly Stream[];
  /** Of each stream, in characters. */
  readonly maxLength?: number;
  readonly limitMs?: number;
  /** Does it go on when it is no longer waited for? Else it is killed then, with all that it has started. */
  readonly outlives?: boolean;
  /** With `outlives`: called where it fails when it is no longer waited for. */
  readonly failedLater?: (() => void) | undefined;
  readonly signal?: AbortSignal;
}

export type ProgramEnd =
  | (Readonly<Record<Stream, string>> & {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly killedBy: NodeJS.Signals | null;
    })
  | { readonly kind: 'not_started'; readonly error: NodeJS.ErrnoException }
  | { readonly kind: 'timeout' | 'too_much' };

const usualMaxLength = 1_048_576;

/**
 * Runs a program in a process group of its own, and waits for its end, the limit, too much output, or the signal.
 * @throws the signal's reason, or what Node cannot even try to start
 */
export async function runProgram(run: ProgramCommand): Promise<ProgramEnd> {
  run.signal?.throwIfAborted();
  const { input, output: read = ['stdout', 'stderr'] } = run;
  let child: ReturnType<typeof start>;
  try {
    child = start(run, read);
  } catch (error) {
    if (hasGroups) throw error;
    return { kind: 'not_started', error: error as NodeJS.ErrnoException };
  }
  const output = { stdout: '', stderr: '' };
  const endsAtLine = typeof input === 'object' && input.upTo === 'first-line';
  return await new Promise<ProgramEnd>((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(limit);
      run.signal?.removeEventListener('abort', aborted);
      act();
    };
    let isLeft = false;
    const stop = (act: () => void) => {
      isLeft = true;
      if (run.outlives) child.unref();
      else killGroup(child.pid);
      child.stdout?.destroy(); // what it has started may hold the other end
      child.stderr?.destroy();
      settle(act);
    };
    const aborted = () => stop(() => reject(run.signal?.reason));
    const timedOut = () => stop(() => resolve({ kind: 'timeout' }));
    const limit = run.limitMs === undefined ? undefined : setTimeout(timedOut, run.limitMs);
    run.signal?.addEventListener('abort', aborted, { once: true });
    for (const name of read) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        if (name === 'stdout' && endsAtLine && text.includes('\n')) child.stdin?.end();
        if (output[name].length > (run.maxLength ?? usualMaxLength)) stop(() => resolve({ kind: 'too_much' }));
      });
    }
    child.once('error', (error) => settle(() => resolve({ kind: 'not_started', error })));
    child.once('close', (code, killedBy) => {
      settle(() => resolve({ kind: 'ended', code, killedBy, ...output }));
      if (isLeft && code !== 0) run.failedLater?.();
    });
    child.stdin?.on('error', () => undefined); // it may end before it has read its input
    if (typeof input === 'object') child.stdin?.write(input.text);
    if (typeof input === 'object' && !endsAtLine) child.stdin?.end();
  });
}

const hasGroups = process.platform !== 'win32';

function start({ command, env, folder, input, outlives = false }: ProgramCommand, read: readonly Stream[]) {
  const { file, args, ...how } =
    typeof command === 'string' ? { file: command, args: [] } : startable(command, env, folder);
  const pipe = (name: Stream) => (read.includes(name) ? 'pipe' : 'ignore');
  return spawn(file, args, {
    ...how,
    env: { ...env },
    cwd: folder,
    detached: hasGroups || outlives,
    windowsHide: true,
    shell: typeof command === 'string',
    stdio: [input === 'closed' ? 'ignore' : 'pipe', pipe('stdout'), pipe('stderr')],
  });
}

/** A command as this system can start it. @throws as `windowsCommand` */
export function startable(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Startable {
  if (!hasGroups) return windowsCommand(command, { env, folder, isFile: isExecutable });
  const [file = '', ...args] = command;
  return { file, args };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}

/** The words that start this program. @param script The launcher; of a single executable that itself. */
export function programWords(script: string): readonly string[] {
  return script === process.execPath ? [script] : [process.execPath, script];
}

/** The PATH's absolute folders, the working folder left out: nothing that was put there is run by accident. */
export function safePath(path: string | undefined, workingFolder: string): readonly string[] {
  const here = realPath(workingFolder);
  return (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && realPath(folder) !== here);
}

/** The first executable file of that name in those folders. @param ends What Windows adds to the name. */
export function findProgram(name: string, folders: readonly string[], ends: readonly string[]): string | undefined {
  const names = hasGroups ? [name] : ends.map((end) => `${name}${end}`);
  return folders.flatMap((folder) => names.map((each) => join(folder, each))).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Where a path leads; undefined where nothing is. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
