import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../core/failure.js';
import { printable } from '../core/text/printable.js';
import { isWindows } from '../core/text/system.js';
import { programNotStarted } from '../credential/failures.js';
import { LineSplitter } from '../mcp/stdio/line-splitter.js';
import type { ServerProgram } from '../mcp/stdio/stdio-client.js';
import { startable } from '../stores/run-program.js';

/** Milliseconds that a server has to end after its stdin is closed, and again after SIGTERM. */
const patience = { usual: 2_000, interrupted: 400 } as const;

/** Longest line of stderr that is shown, in bytes. */
const longestLine = 8_192;

interface ServerStart {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each line of its stderr, printable. */
  readonly said: (line: string) => void;
  /** When aborted, the server has less time to end. */
  readonly signal: AbortSignal;
}

/**
 * Starts a program that speaks the protocol on stdin and stdout: without a shell, without our own variables, which say where
 * secrets are, and in a process group of its own, so that no key at the terminal reaches it.
 * @throws Failure `command_not_started`
 */
export async function startServerProgram(start: ServerStart): Promise<ServerProgram> {
  const env = Object.fromEntries(Object.entries(start.env).filter(([name]) => !/^POSTERN_/i.test(name)));
  const options = { env, stdio: 'pipe', detached: !isWindows, windowsHide: true } as const;
  try {
    const { file, args, ...how } = startable(start.command, env, process.cwd());
    const child = spawn(file, args, { ...options, ...how });
    await once(child, 'spawn');
    return runningServer(child, start);
  } catch (error) {
    throw programNotStarted(start.command[0] ?? '', systemCode(error), error);
  }
}

function runningServer(child: ChildProcessWithoutNullStreams, { said, signal }: ServerStart): ServerProgram {
  const { stdin, stdout, stderr } = child;
  child.on('error', () => undefined); // a signal sent too late
  stdin.on('error', () => undefined); // it may end before it has read its input
  showLines(stderr, said);
  const end = new Promise<string>((resolve) => {
    child.once('close', (code, by) => resolve(by ?? `exit code ${code ?? 'unknown'}`));
  });
  const endsWithin = (ms: number) => Promise.race([end.then(() => true), setTimeout(ms, false, { ref: false })]);
  const kill = () => sendTo(child, 'SIGKILL');
  process.once('exit', kill); // in case this process ends before it could wait
  return {
    listen: ({ data, ended }) => {
      stdout.on('data', data);
      void end.then(ended);
    },
    write: async (bytes) => {
      if (stdin.destroyed) return;
      await Promise.race([new Promise<void>((resolve) => stdin.write(bytes, () => resolve())), end]);
    },
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      stdout.resume(); // a server blocked on its output does not read its stdin
      for (const by of ['SIGTERM', 'SIGKILL'] as const) {
        if (await endsWithin(signal.aborted ? patience.interrupted : patience.usual)) break;
        sendTo(child, by);
      }
      await endsWithin(patience.interrupted);
      stdout.destroy(); // its own children may still hold the other end
      stderr.destroy();
      child.unref();
      process.off('exit', kill);
    },
  };
}

/** Signals the whole process group. */
function sendTo(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // all of them have just ended
  }
}

function showLines(stderr: Readable, said: (line: string) => void): void {
  const lines = new LineSplitter(longestLine);
  const show = (line: Uint8Array | 'too_long') =>
    said(line === 'too_long' ? '(a line that is too long)' : printable(new TextDecoder().decode(line), longestLine));
  stderr.on('data', (chunk: Uint8Array) => lines.push(chunk).forEach(show));
  stderr.once('end', () => lines.finish().forEach(show));
}
