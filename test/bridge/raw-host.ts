import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Home } from '../support/home.js';
import { programCommand } from '../support/program.js';

/** A host that looks at bytes, and reads only when it wants to. */
export interface RawHost extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  write(line: Uint8Array | string): Promise<void>;
  /** The next line, without its end. */
  line(): Promise<Buffer>;
}

export function startRawHost(home: Home, url: string): RawHost {
  const [command, ...args] = programCommand(['bridge', url]);
  const child = spawn(command, args, { cwd: home.path, env: home.env, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined);
  let held: Buffer[] = [];
  const ended = once(child.stdout, 'end').then(() => Promise.reject(new Error('ended')));
  ended.catch(() => undefined);
  const line = async (): Promise<Buffer> => {
    for (;;) {
      const chunk = child.stdout.read() as Buffer | null;
      if (chunk === null) {
        await Promise.race([once(child.stdout, 'readable'), ended]);
        continue;
      }
      const end = chunk.indexOf(10);
      if (end === -1) {
        held.push(chunk);
        continue;
      }
      if (end + 1 < chunk.length) child.stdout.unshift(chunk.subarray(end + 1));
      const whole = Buffer.concat([...held, chunk.subarray(0, end)]);
      held = [];
      return whole;
    }
  };
  return {
    child,
    line,
    write: (text) =>
      new Promise((resolve) => {
        child.stdin.write(text);
        child.stdin.write('\n', () => resolve());
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
