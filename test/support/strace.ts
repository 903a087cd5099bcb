import type { Home } from './home.js';
import { programCommand, type Running, startCommand } from './program.js';

/** Starts `postern` under strace, with these options of it; its stdin is empty. */
export function startTraced(home: Home, options: readonly string[], args: readonly string[]): Running {
  const running = startCommand('strace', ['-f', '-qq', ...options, ...programCommand(args)], home);
  running.stdin.end();
  return running;
}

/** Options that hold the system call of that number, which renames a file, for some seconds. */
export function holdRename(number: number, seconds: number): readonly string[] {
  return ['-e', 'trace=rename', '-e', `inject=rename:delay_enter=${seconds}s:when=${number}`];
}
