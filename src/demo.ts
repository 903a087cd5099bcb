import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createSignals } from './app/process.js';
import { Failure } from './core/failure.js';
import { defaultLimits } from './core/limits.js';
import type { Terminal } from './core/ports.js';
import { clientInfo } from './core/product.js';
import { lookOf, toned } from './core/text/look.js';
import { createPrograms } from './credential/exec-program.js';
import { ciOf } from './login/browser/browser-availability.js';
import type { Browser } from './login/browser/open-browser.js';
import { run } from './main.js';
import { type Sandbox, startSandbox } from './sandbox/start.js';
import { walkLogin } from './sandbox/walk.js';
import { createClock } from './stores/clock.js';
import { createKeychain } from './stores/keychain/keychain.js';
import type { SecretStore } from './stores/ports.js';
import { createMemoryStore } from './stores/stores.js';

const look = lookOf(process.stdout, !process.env['NO_COLOR']);

const say = (line: string) => void process.stdout.write(`${line}\n`);

type Environment = Readonly<Record<string, string | undefined>>;

/** The keychain where there is one; else, and said aloud, a store that lasts as long as this process. */
async function chooseStore(env: Environment): Promise<SecretStore | undefined> {
  const { platform } = process;
  const keychain = createKeychain({
    platform,
    env,
    clock: createClock(),
    interactive: false,
    notify: say,
    limits: defaultLimits,
  });
  try {
    await keychain.ready();
    say('The tokens of this demo go into your keychain, and are taken out of it at the end.');
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(toned(look, 'warning', 'NO KEYCHAIN HERE: the tokens of this demo stay in memory, and are gone with it.'));
    say(
      'postern itself never does that: it stops (exit code 7), and says how to get a keychain, or to use --store file.',
    );
    return createMemoryStore();
  }
}

interface DemoScene {
  readonly sandbox: Sandbox;
  readonly env: Environment;
  /** Undefined: the keychain. */
  readonly store: SecretStore | undefined;
}

/** The main job, command by command, as a person would type it. */
const script: readonly (readonly [why: string, words: readonly string[]])[] = [
  ['Log in once, in the browser:', ['login', 'SERVER', '--name', 'work']],
  ['What does the server offer?', ['call', 'work']],
  ['Call a tool:', ['call', 'work', 'echo', 'text=hello']],
  ['Its notes want more scope, and --login may ask for it:', ['call', 'work', 'note_add', 'text=Hello', '--login']],
  ['The token for other programs, such as curl -H "$(…)"; here it is hidden:', ['token', 'work', '--header']],
  ['Which logins are there?', ['status']],
  ['Log out: revoked there, forgotten here.', ['logout', 'work']],
];

/**
 * Plays the main job on the sandbox. With a display and a terminal the real browser opens; otherwise the demo walks
 * the login pages itself, as a browser would.
 * @returns the exit code: that of the first command that failed, else 0
 */
async function playDemo(scene: DemoScene): Promise<number> {
  const { sandbox } = scene;
  const browser = browserFor(scene);
  for (const [why, words] of script) {
    const argv = words.map((word) => (word === 'SERVER' ? sandbox.serverUrl : word));
    say(`\n${toned(look, 'dim', `# ${why}`)}\n${toned(look, 'strong', `$ postern ${argv.join(' ')}`)}`);
    const code = await runOne(scene, argv, browser);
    if (code !== 0) {
      say(`\nThe demo stops: that command ended with exit code ${code}.`);
      return code;
    }
  }
  say(
    `\n${toned(look, 'good', 'Done.')} The servers were asked ${sandbox.requests.length} times. With -v you see each request.`,
  );
  say(`Next: ${toned(look, 'name', 'npm i -g .')} and ${toned(look, 'name', 'postern login URL')}`);
  return 0;
}

async function runOne(scene: DemoScene, argv: readonly string[], browser: Browser | undefined): Promise<number> {
  const { env, store } = scene;
  const interruption = new AbortController();
  const signals = createSignals();
  const stop = () => interruption.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  const shown = argv[0] === 'token' ? maskedOutput() : process.stdout;
  try {
    return await run(argv, {
      env,
      stdin: () => process.stdin,
      stdout: shown,
      stderr: process.stderr,
      platform: process.platform,
      homedir: env['HOME'] ?? '',
      version: clientInfo.version,
      clientMetadataUrl: '',
      interruption,
      programs: createPrograms(env, signals),
      signals,
      launch: { script: process.argv[1] ?? '', input: undefined, elapsed: () => 0 },
      tokenGiven: {},
      own: {
        ...(store === undefined ? {} : { store }),
        ...(browser === undefined ? {} : { browser, terminal: onlooker() }),
      },
    });
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Shows that a token came, and not the token: what a demo prints ends up in logs. */
function maskedOutput(): PassThrough {
  const stream = new PassThrough();
  stream.on('data', (bytes: Buffer) =>
    say(
      bytes
        .toString()
        .trimEnd()
        .replace(/\S{12,}$/, '***'),
    ),
  );
  return stream;
}

/** Undefined where the person's own browser can be opened. */
function browserFor({ env }: DemoScene): Browser | undefined {
  const display = process.platform !== 'linux' || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  if (display && process.stdin.isTTY && process.stderr.isTTY && ciOf(env) === undefined) return undefined;
  say('No display here: the demo walks the login pages itself, as a browser would, and says yes to them.');
  return {
    open: async (url) => {
      walkLogin(url).catch((error: unknown) => say(`The walk through the login pages failed: ${String(error)}`));
      return 'opened';
    },
  };
}

/** Stands for the person who would sit at a terminal: sees everything, answers nothing. */
function onlooker(): Terminal {
  return {
    interactive: true,
    tell: say,
    ask: async () => undefined,
    choose: async () => 0,
    listen: () => ({ [Symbol.dispose]: () => undefined }),
    event: () => undefined,
  };
}

const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'));

// The demo's logins are its own: nothing of it is seen in the person's index, and nothing of theirs in it.
const env = { ...process.env, POSTERN_STATE_DIR: folder, POSTERN_CONFIG_DIR: folder };

try {
  await using sandbox = await startSandbox();
  say(
    `${toned(look, 'strong', 'postern, on a sandbox')}: an authorization server and a protected server on 127.0.0.1.`,
  );
  const store = await chooseStore(env);
  process.exitCode = await playDemo({ sandbox, env, store });
} finally {
  await rm(folder, { recursive: true, force: true });
}
