import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, win32 } from 'node:path';
import { isWholePath } from '../core/text/system.js';

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
  /** Which of its streams are read; by default both. The rest is discarded. */
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

/** Arguments for `spawn`. */
export interface Startable {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly windowsVerbatimArguments?: true;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What CreateProcess starts, and what cmd.exe has to. */
const startedEnds = ['.com', '.exe', '.bat', '.cmd'];

/**
 * A program and its arguments as Windows can start them: `npx` is a batch file there, `npx.cmd`, and neither Node.js nor
 * Windows finds that by its name, or starts it. What a batch file gets is quoted for cmd.exe, so that no argument is a
 * command of its own. A name without a folder is looked for on the PATH alone, never in the working folder.
 * @param from.folder What a relative path with a folder in it counts from.
 * @throws an error with the code `ENOENT`, or `EINVAL` where an argument is none that a batch file can get
 */
export function windowsCommand(
  [program = '', ...args]: readonly string[],
  from: { readonly env: Variables; readonly folder: string; readonly isFile: (path: string) => boolean },
): Startable {
  const path = candidates(program, from).find(from.isFile);
  if (path === undefined) throw failed('ENOENT', program);
  if (!/\.(?:bat|cmd)$/i.test(path)) return { file: path, args };
  if ([path, ...args].some((word) => /[\0\r\n]/.test(word))) throw failed('EINVAL', program);
  const line = [`"${withoutVariables(path)}"`, ...args.map(batchArgument)].join(' ');
  const shell = win32.join(variable(from.env, 'SystemRoot') || 'C:\\Windows', 'System32', 'cmd.exe');
  // Extensions on, late expansion off, no AutoRun: what the quoting counts on.
  return { file: shell, args: ['/e:ON', '/v:OFF', '/d', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** A variable of Windows, whose name counts in any case: its PATH is called `Path`. */
export function variable(env: Variables, name: string): string | undefined {
  const found = Object.keys(env).find((one) => one.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

function candidates(
  program: string,
  { env, folder }: { readonly env: Variables; readonly folder: string },
): readonly string[] {
  if (program === '') return [];
  const listed = (variable(env, 'PATHEXT') ?? '').toLowerCase().split(';');
  const known = listed.filter((end) => startedEnds.includes(end));
  const ends = known.length === 0 ? startedEnds : known;
  const hasEnd = startedEnds.includes(win32.extname(program).toLowerCase());
  const names = [...(hasEnd ? [program] : []), ...ends.map((end) => `${program}${end}`)];
  if (/[\\/]|^[A-Za-z]:/.test(program)) return names.map((name) => win32.resolve(folder, name));
  const folders = (variable(env, 'PATH') ?? '').split(';').map((each) => each.replaceAll('"', ''));
  return folders.filter(isWholePath).flatMap((each) => names.map((name) => win32.join(each, name)));
}

/**
 * One argument for cmd.exe and for the program behind the batch file, which splits the line again: in quotes unless nothing
 * in it means anything to either.
 */
function batchArgument(word: string): string {
  if (/^[\w#$*+./:?@-]+$/.test(word)) return word;
  const doubled = word.replaceAll(/(\\*)(?:"|$)/g, (found, before: string) =>
    found.endsWith('"') ? `${before}${before}""` : `${before}${before}`,
  );
  return `"${withoutVariables(doubled)}"`;
}

/** `%%cd:~,%` is a percent sign and nothing of the working folder: cmd.exe replaces variables in quotes, too. */
function withoutVariables(text: string): string {
  return text.replaceAll('%', '%%cd:~,%');
}

function failed(code: 'ENOENT' | 'EINVAL', program: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${program}`), { code });
}
