import { win32 } from 'node:path';
import { isWholePath } from '../core/text/system.js';

/** What `spawn` is given. */
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
 * One argument for cmd.exe and for the program behind the batch file, which splits the line anew: in quotes unless nothing
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
