import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The two ends of a pipe, as a shell or git makes them; Node.js makes its children sockets instead. */
export interface Pipe extends Disposable {
  readonly from: number;
  readonly to: number;
  /** No more will be written. */
  end(): void;
}

let made = 0;

export function makePipe(): Pipe {
  made += 1;
  const path = join(tmpdir(), `postern-pipe-${process.pid}-${made}`);
  const { status, stderr } = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mkfifo: ${stderr}`);
  const waiting = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // else each open waits for the other
  const to = openSync(path, constants.O_WRONLY);
  const from = openSync(path, constants.O_RDONLY);
  closeSync(waiting);
  rmSync(path);
  const open = new Set([from, to]);
  const close = (end: number) => open.delete(end) && closeSync(end);
  return {
    from,
    to,
    end: () => void close(to),
    [Symbol.dispose]: () => {
      for (const one of open) close(one);
    },
  };
}
