import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What measures: calls, whatever way they take. */
export interface Calls extends AsyncDisposable {
  /** Milliseconds from the start to the answer to `initialize`. */
  readonly firstMs: number;
  call(args: object): Promise<void>;
  /** Notifications that have come. */
  readonly notifications: number;
  /** Resident memory in MiB, now and at its highest, and CPU milliseconds of the process; of none: undefined. */
  usage(): { readonly now: number; readonly peak: number; readonly cpu: number } | undefined;
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** Calls through a program that speaks line by line. */
export async function throughProgram(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Promise<Calls> {
  const [file, ...args] = command;
  const start = performance.now();
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = new Lines(child);
  await lines.ask(initialize, 0);
  const firstMs = performance.now() - start;
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  let id = 1;
  return {
    firstMs,
    call: (args) => {
      const own = id++;
      return lines.ask(
        { jsonrpc: '2.0', id: own, method: 'tools/call', params: { name: 'echo', arguments: args } },
        own,
      );
    },
    get notifications() {
      return lines.notifications;
    },
    usage: () => usageOf(child.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
      if (child.exitCode === null) await new Promise((resolve) => child.once('close', resolve));
      clearTimeout(late);
    },
  };
}

/** Reads answers with as little work as can be: by their first characters. */
class Lines {
  notifications = 0;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, () => void>();
  #rest = '';
  #said = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-2_000);
    });
    child.once('close', () => {
      if (this.#waiting.size > 0) throw new Error(`ended with answers missing: ${this.#said}`);
    });
  }

  ask(message: object, id: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    });
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const id = /"id":(\d+)/.exec(line.length > 4_000 ? line.slice(0, 60) + line.slice(-60) : line)?.[1];
      if (id === undefined) {
        this.notifications += 1;
        continue;
      }
      this.#waiting.get(Number(id))?.();
      this.#waiting.delete(Number(id));
    }
  }
}

function usageOf(pid: number): { now: number; peak: number; cpu: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return { now: kib('VmRSS'), peak: kib('VmHWM'), cpu: (Number(stat[11]) + Number(stat[12])) * 10 };
}
