import { spawn } from 'node:child_process';
import type { CommandEnd, ProgramCommand } from '../../ports/neighbours.js';

const mostBytes = 1024 * 1024;

/**
 * Runs a command as another program would, to its end, or kills it with all that it has started after the limit, too
 * much output, or Ctrl-C.
 * @throws the signal's reason
 */
export async function runProgram(run: ProgramCommand): Promise<CommandEnd> {
  const { command, env, folder, input, signal } = run;
  signal.throwIfAborted();
  const endsAtLine = typeof input === 'object' && input.upTo === 'first-line';
  const ownGroup = process.platform !== 'win32';
  const options = {
    env: { ...env },
    cwd: folder,
    detached: ownGroup,
    windowsHide: true,
    stdio: [input === 'closed' ? 'ignore' : 'pipe', 'pipe', 'pipe'] as ['ignore' | 'pipe', 'pipe', 'pipe'],
  };
  const [program = '', ...args] = typeof command === 'string' ? [command] : command;
  const child = spawn(program, args, { ...options, shell: typeof command === 'string' });
  return await new Promise<CommandEnd>((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    const settle = (act: () => void) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', aborted);
      act();
    };
    const stop = (act: () => void) => {
      if (child.pid !== undefined) kill(ownGroup ? -child.pid : child.pid);
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(act);
    };
    const aborted = () => stop(() => reject(signal.reason));
    const limit = setTimeout(() => stop(() => resolve({ kind: 'timeout' })), run.limitMs);
    signal.addEventListener('abort', aborted, { once: true });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        if (name === 'stdout' && endsAtLine && text.includes('\n')) child.stdin?.end();
        if (output[name].length > mostBytes) stop(() => resolve({ kind: 'too_much' }));
      });
    }
    child.once('error', () => settle(() => resolve({ kind: 'not_started' })));
    child.once('close', (code) => settle(() => resolve({ kind: 'ended', code, ...output })));
    child.stdin?.on('error', () => undefined);
    if (typeof input === 'object') {
      child.stdin?.write(input.text);
      if (!endsAtLine) child.stdin?.end();
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}
