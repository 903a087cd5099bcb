import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './home.js';
import { type Running, startCommand } from './program.js';

/** A program at a terminal: `screen.stdout` is all that the terminal showed. */
export interface AtTerminal extends AsyncDisposable {
  readonly screen: Running;
  /** What the program wrote to stdout, kept apart when asked for; '' otherwise. */
  result(): Promise<string>;
  /** Types keys, e.g. `'yes\r'`, or `'\x03'` for Ctrl-C. */
  type(keys: string): void;
}

/**
 * Starts a command (`programCommand(args)` for `postern`) under a pseudo-terminal of util-linux' `script`:
 * stdin and stderr are the terminal, stdout is a file, as in `postern token server > file`; with
 * `stdout: 'terminal'` all three are it. `columns` is its width; 0 is what some programs leave it at. Exit code: the command's, or 128 + n when signal n ended it.
 */
export async function startAtTerminal(
  home: Home,
  command: readonly string[],
  options: { readonly stdout: 'file' | 'terminal'; readonly columns: number },
): Promise<AtTerminal> {
  const folder = await mkdtemp(join(home.path, 'tmp', 'stdout-'));
  const file = join(folder, 'stdout');
  const words = command.map(quoteForShell).join(' ');
  const redirected = options.stdout === 'file' ? ` > ${quoteForShell(file)}` : '';
  const screen = startCommand(
    'script',
    ['-qefc', `stty cols ${options.columns}; exec ${words}${redirected}`, '/dev/null'],
    home,
  );
  return {
    screen,
    result: async () => (options.stdout === 'file' ? await readFile(file, 'utf8') : ''),
    type: (keys) => void screen.stdin.write(keys),
    [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose](),
  };
}

function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
