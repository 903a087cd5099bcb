import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { OwnPorts } from '../../src/app/context.js';
import type { Home } from '../support/home.js';
import { startHere } from '../support/in-process.js';
import { type Browser, createMemoryStore, type Walk, walkLogin } from '../support/product.js';
import type { Sandbox } from '../support/start-sandbox.js';
import { textOfPage } from './page-text.js';

/** The morning of all transcripts. */
const morning = Date.UTC(2026, 0, 5, 9, 0, 0);

/** So long is the path of each home, whatever the folder of temporary files: where lines are broken depends on it. */
const homeLength = 48;

/** Such a wait for a person who is away is soon over here, and the clock has moved. */
const longWait = 600_000;

/** How often a wait looks whether it can end, in milliseconds. */
const step = 20;

/** Between two questions whether a device code was typed. */
const pollInterval = 5_000;

/** A question is asked: from then on what is pasted is marked as such. */
const questionBegins = '\u001b[?2004h';

/** A spinner comes and goes with the speed of the machine. */
const spinnerFrame = /[\u2800-\u28ff]/;

export interface SessionLine {
  /** Undefined: pipes instead of the terminal. */
  readonly columns?: undefined;
  /** What the person types, a line for each question; then the input ends. In a pipe: the whole input. */
  readonly typed?: readonly string[];
  /** Sees all that was printed, each time that something is. */
  readonly watch?: (screen: string, interruption: AbortController) => void;
  /** Variables of this line alone. */
  readonly env?: Readonly<Record<string, string>>;
  /** How the person walks through the login pages; false: nobody goes there. */
  readonly walk?: Walk | false;
  /** A machine without a browser. */
  readonly noBrowser?: boolean;
  /** A machine whose secrets are where the command line says, and not in a keychain in memory. */
  readonly ownStore?: boolean;
}

export interface SessionLook {
  /** Default: 80, without a spinner. */
  readonly columns?: number;
  readonly color?: boolean;
}

/** A person at a terminal of 80 columns without colours, and what stands there. */
export class Session {
  readonly #env: Home['env'];
  readonly #own: OwnPorts;
  readonly #names: (readonly [found: string, name: string])[];
  #text = '';
  #now = morning;
  #page = '';
  #isVisited = false;
  #isAway = false;

  /** Everything that was printed at the terminal, as it got it. */
  readonly printed: string[] = [];
  readonly sandbox: Sandbox;
  readonly #look: SessionLook;
  readonly home: string;

  private constructor(sandbox: Sandbox, home: string, look: SessionLook) {
    this.sandbox = sandbox;
    this.home = home;
    this.#look = look;
    for (const url of [sandbox.serverUrl, sandbox.issuer]) this.#portOf(new URL(url).port);
    this.#names = [
      [home, '/home/ann'],
      [process.versions.node, 'NODE'],
      [process.execPath, '/usr/bin/node'],
    ];
    this.#env = {
      PATH: join(home, 'bin'),
      DISPLAY: ':0', // else the container that this may be is told of
      HOME: home,
      LANG: 'C.UTF-8',
      ...(look.color === true ? { TERM: 'xterm-256color' } : { NO_COLOR: '1' }),
      XDG_RUNTIME_DIR: join(home, 'runtime'),
      TMPDIR: join(home, 'tmp'),
    };
    const clock = {
      now: () => this.#now,
      monotonic: () => this.#now,
      sleep: async (ms: number, signal: AbortSignal) => {
        const isSkipped = () => (ms >= longWait && this.#isAway) || (ms === pollInterval && this.#isVisited);
        for (let waited = 0; waited < ms && !isSkipped(); waited += step) {
          await wait(Math.min(step, ms - waited), undefined, { signal }).catch(() => {
            throw signal.reason;
          });
        }
        if (isSkipped()) this.#now += ms;
      },
    };
    this.#own = { store: { ...createMemoryStore(), kind: 'keychain' }, clock };
  }

  static async begin(sandbox: Sandbox, look: SessionLook = {}): Promise<Session> {
    const folder = join(tmpdir(), 'p-').padEnd(homeLength - 6, '-');
    const home = await mkdtemp(folder);
    if (home.length !== homeLength) throw new Error(`${tmpdir()} is too long for a transcript`);
    for (const name of ['bin', 'runtime', 'tmp']) await mkdir(join(home, name), { mode: 0o700 });
    // What other programs would start: it answers as `credential headers` does.
    await writeFile(join(home, 'postern.js'), `console.log('{"Authorization":"Bearer x"}');\n`);
    sandbox.setFaults([]);
    return new Session(sandbox, home, look);
  }

  /** A line by the author, which says what happens outside of the terminal. */
  note(text: string): void {
    this.#text += `${this.#text === '' ? '' : '\n'}# ${text}\n`;
  }

  /** Runs a line that is not written down, and has to go well. */
  async before(line: string, options: SessionLine = {}): Promise<void> {
    const { exit, screen } = await this.#run(line, options);
    if (exit !== 0) throw new Error(screen);
  }

  /** Runs a line as typed (words with blanks in quotes) and writes it down with what was printed. */
  async postern(line: string, options: SessionLine = {}): Promise<string> {
    const { given, exit, screen } = await this.#run(line, options);
    const end = `${screen === '' || screen.endsWith('\n') ? '' : '\n'}${exit === 0 ? '' : `(exit ${exit})\n`}`;
    this.print(`${`$ postern ${given}`.trimEnd()}\n${screen}${end}`);
    return screen;
  }

  async #run(line: string, options: SessionLine) {
    const given = line
      .replaceAll('SERVER', this.sandbox.serverUrl)
      .replaceAll('ISSUER', this.sandbox.issuer)
      .replaceAll('~', this.home);
    const words = [...given.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { walk = {}, noBrowser = false, ownStore = false, env = {}, typed = [], watch } = options;
    this.#isVisited = false;
    this.#isAway = walk === false;
    const browser: Browser = {
      open: async (url) => {
        if (noBrowser) return 'unavailable';
        if (walk !== false) this.#visit(url, walk);
        return 'opened';
      },
    };
    // Nothing here takes so long, but what waits for a person who does not come.
    const interruption = new AbortController();
    const stuck = setTimeout(() => interruption.abort(new Error('nobody came')), 20_000);
    const { store, ...others } = this.#own;
    const own = { browser, ...others, ...(ownStore || store === undefined ? {} : { store }) };
    const launch = { script: join(this.home, 'postern.js'), input: undefined, elapsed: () => 0 };
    const isPiped = 'columns' in options;
    const answers = [...typed];
    let screen = '';
    const onPrint = (text: string) => {
      if (spinnerFrame.test(text)) return;
      screen += text;
      if (!isPiped && text.includes(questionBegins)) {
        const answer = answers.shift();
        if (answer === undefined) running.stdin.end();
        else for (const keys of [answer, '\r']) running.stdin.write(keys);
      }
      watch?.(screen, interruption);
    };
    const running = startHere({ path: this.home, env: { ...this.#env, ...env } }, words, {
      ...(isPiped ? {} : { columns: this.#look.columns ?? 0, stdout: 'terminal' }),
      own,
      onPrint,
      world: { interruption, launch },
    });
    if (isPiped) running.stdin.end(typed.map((line) => `${line}\n`).join(''));
    const { code } = await running.finished;
    clearTimeout(stuck);
    if (!isPiped) this.printed.push(screen);
    return { given, exit: code, screen };
  }

  /** Somebody who opens what is printed there, once; the second group is a code to be typed. */
  visitor(shown: RegExp): NonNullable<SessionLine['watch']> {
    let isGone = false;
    return (screen) => {
      const [, url, userCode] = isGone ? [] : (shown.exec(screen) ?? []);
      if (url === undefined) return;
      isGone = true;
      this.#visit(url, userCode === undefined ? {} : { userCode });
    };
  }

  #visit(url: string, walk: Walk): void {
    // A walk that ends badly shows in what the program prints.
    const visited = walkLogin(url, walk).then(({ html }) => {
      this.#page = html;
      this.#isVisited = true;
    });
    visited.catch(() => undefined);
  }

  /** The text of the page at which the last login ended. */
  async page(): Promise<void> {
    for (let tries = 0; this.#page === '' && tries < 500; tries += 1) await wait(10);
    this.print(textOfPage(this.#page).replace(/^(?=.)/gm, '  '));
    this.#page = '';
  }

  /** Writes down what was seen elsewhere. */
  print(text: string): void {
    this.#text += `${this.#text === '' ? '' : '\n'}${this.#named(text)}`;
  }

  /** So many minutes pass. */
  pass(minutes: number): void {
    this.#now += minutes * 60_000;
  }

  /** For what compares this clock with the server's. */
  useRealTime(): void {
    this.#now = Date.now();
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(join(this.home, path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(join(this.home, path), text, { mode: 0o600 });
  }

  async cat(path: string): Promise<void> {
    this.print(`$ cat ~/${path}\n${await readFile(join(this.home, path), 'utf8')}`);
  }

  async end(): Promise<string> {
    await rm(this.home, { recursive: true, force: true });
    return this.#text;
  }

  /** What differs from run to run has a name that does not. */
  #named(text: string): string {
    const named = this.#names.reduce((so, [found, name]) => so.replaceAll(found, name), stripVTControlCharacters(text));
    const plain = named
      .replace(/\r\n?/g, '\n')
      .replace(/\/go\/[\w-]{20,}/g, '/go/ONCE')
      .replace(/\b[A-Z]{4}-[A-Z]{4}\b/g, 'CODE-CODE')
      .replace(/\b(?:[A-Z] {2}){4}- {2}(?:[A-Z] {2}){3}[A-Z]\b/g, 'C  O  D  E  -  C  O  D  E')
      .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'RANDOM')
      .replace(/(?<=\bpostern )\d+\.\d+\.\d+\b/g, 'VERSION')
      .replace(/(?<=\blinux )\w+(?=, Node)/g, 'ARCH')
      .replace(/(?<=\bdate: ).*/g, 'DATE')
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
        time.startsWith('2026-01-05') ? time : '2026-01-05T10:00:30.000Z',
      )
      .replace(/^\d\d:\d\d:\d\d(?= )/gm, '09:00:00')
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'UUID')
      .replace(/(?<=< content-length: )\d+/g, 'N')
      .replace(/(?<= )\d+ ms\b/g, 'N ms')
      .replace(/(?<=(?:\]|\?|:)) $/gm, '') // a question that nothing was typed to
      .replace(/\bey[\w-]+\.[\w-]+\.[\w-]+/g, 'ACCESS-TOKEN');
    return plain.replace(/(?<=(?:127\.0\.0\.1|localhost|\[::1\])(?::|%3A)|port )\d{5}\b/g, (port) =>
      this.#portOf(port),
    );
  }

  readonly #ports = new Map<string, string>();

  #portOf(port: string): string {
    const name = this.#ports.get(port) ?? String(50_001 + this.#ports.size);
    this.#ports.set(port, name);
    return name;
  }
}
