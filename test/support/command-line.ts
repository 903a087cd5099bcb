import { PassThrough, Writable } from 'node:stream';
import type { World } from '../../src/app/context.js';
import { createSignals } from '../../src/app/process.js';
import type { CommandExit } from '../../src/core/command.js';
import { createPrograms } from '../../src/credential/exec-program.js';
import { run } from '../../src/main.js';
import { createMemoryStore } from './product.js';

/** A person's machine, as far as command lines see it: made once, used by every run of a test. */
export interface Machine {
  readonly env: Readonly<Record<string, string>>;
  readonly homedir: string;
  /** What stands in for parts of the world. Default: secrets in memory, one store for all runs. */
  readonly own: World['own'];
}

export function machineOf(home: { readonly env: Readonly<Record<string, string>>; readonly path: string }): Machine {
  return { env: home.env, homedir: home.path, own: { store: createMemoryStore() } };
}

export interface LineOptions {
  /** stdin and stdout are a terminal with so many columns; 0: of 80, and without a spinner. Absent: pipes. */
  readonly columns?: number | undefined;
  /** What the person types, a line for each question; then the input ends. In a pipe: the whole input. */
  readonly typed?: readonly string[];
  /** Sees all that was printed, each time that something is. */
  readonly watch?: (screen: string, interruption: AbortController) => void;
  /** Variables of this run alone. */
  readonly env?: Readonly<Record<string, string>>;
  readonly world?: Partial<World>;
}

export interface Printed {
  readonly exit: CommandExit;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they were printed. */
  readonly screen: string;
}

const spinnerFrame = /[\u2800-\u28ff]/;

/** What a terminal can do, and a spinner asks of it. */
const cursor = { cursorTo: () => true, clearLine: () => true, moveCursor: () => true };

/** A question is asked: from then on what is pasted is marked as such. */
const questionBegins = '\u001b[?2004h';

/** Runs one command line of the whole program in this process, its name left out. */
export async function runLine(machine: Machine, argv: readonly string[], options: LineOptions = {}): Promise<Printed> {
  const { columns, typed = [], watch } = options;
  const wrote = { stdout: '', stderr: '', screen: '' };
  const isTTY = columns !== undefined;
  const stdin = Object.assign(new PassThrough(), isTTY ? { isTTY, setRawMode: () => undefined } : {});
  if (!isTTY) stdin.end(typed.map((line) => `${line}\n`).join(''));
  const answers = [...typed];
  const interruption = options.world?.interruption ?? new AbortController();
  const screen = (name: 'stdout' | 'stderr') => {
    const write: Writable['_write'] = (chunk, _encoding, done) => {
      // A spinner comes and goes with the speed of the machine.
      if (spinnerFrame.test(String(chunk))) return done();
      wrote[name] += String(chunk);
      wrote.screen += String(chunk);
      if (isTTY && String(chunk).includes(questionBegins)) {
        const answer = answers.shift();
        if (answer === undefined) stdin.end();
        else for (const keys of [answer, '\r']) stdin.write(keys);
      }
      watch?.(wrote.screen, interruption);
      done();
    };
    return Object.assign(new Writable({ write }), isTTY ? { isTTY, columns, ...cursor } : {});
  };
  const env = { ...machine.env, ...options.env };
  const signals = createSignals();
  const exit = await run(argv, {
    env,
    stdin: () => stdin,
    stdout: screen('stdout'),
    stderr: screen('stderr'),
    platform: process.platform,
    homedir: machine.homedir,
    version: '9.9.9',
    clientMetadataUrl: '',
    interruption,
    launch: { script: '/opt/postern/bin/postern.js', input: undefined, elapsed: () => 0 },
    tokenGiven: {},
    programs: createPrograms(env, signals),
    signals,
    own: machine.own,
    ...options.world,
  });
  return { exit, ...wrote };
}
