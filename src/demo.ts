import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createSignals } from './app/process.js';
import { ignoreFailure } from './core/failure.js';
import { defaultLimits } from './core/limits.js';
import type { Terminal } from './core/ports.js';
import { clientInfo } from './core/product.js';
import { lookOf, type Tone, toned } from './core/text/look.js';
import { createPrograms } from './credential/exec-program.js';
import { ciOf } from './login/browser/browser-availability.js';
import type { Browser } from './login/browser/open-browser.js';
import { run } from './main.js';
import { startSandbox } from './sandbox/start.js';
import { walkLogin } from './sandbox/walk.js';
import { createClock } from './stores/clock.js';
import { createKeychain } from './stores/keychain/keychain.js';
import { createMemoryStore } from './stores/stores.js';

const look = lookOf(process.stdout, !process.env['NO_COLOR']);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const inTone = (tone: Tone, text: string) => toned(look, tone, text);

const { platform } = process;
const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'));
// The demo's logins are its own: nothing of it is seen in the user's index, and nothing of theirs in it.
const env: NodeJS.ProcessEnv = { ...process.env, POSTERN_STATE_DIR: folder, POSTERN_CONFIG_DIR: folder };

/** The main job, command by command, as a user would type it. */
const script: readonly (readonly [why: string, words: readonly string[]])[] = [
  ['Log in once, in the browser:', ['login', 'SERVER', '--name', 'work']],
  ['What does the server offer?', ['call', 'work']],
  ['Call a tool:', ['call', 'work', 'echo', 'text=hello']],
  ['Its notes want more scope, and --login may ask for it:', ['call', 'work', 'note_add', 'text=Hello', '--login']],
  ['The token for other programs, such as curl -H "$(…)"; here it is hidden:', ['token', 'work', '--header']],
  ['Which logins are there?', ['status']],
  ['Log out: revoked there, forgotten here.', ['logout', 'work']],
];

/** Undefined for the keychain; without one, and announced, a store that lasts as long as this process. */
async function chooseStore() {
  const ports = { clock: createClock(), notify: say, limits: defaultLimits };
  const keychain = createKeychain({ platform, env, interactive: false, ...ports });
  if (await keychain.ready().then(() => true, ignoreFailure)) {
    say('The tokens of this demo go into your keychain, and are taken out of it at the end.');
    return undefined;
  }
  say(inTone('warning', 'NO KEYCHAIN HERE: the tokens of this demo stay in memory, and are gone with it.'));
  say(
    'postern itself never does that: it stops (exit code 7), and says how to get a keychain, or to use --store file.',
  );
  return createMemoryStore();
}

/** Undefined if the user's own browser can be opened; else the demo walks the login pages itself. */
function chooseBrowser(): Browser | undefined {
  const display = platform !== 'linux' || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  if (display && process.stdin.isTTY && process.stderr.isTTY && ciOf(env) === undefined) return undefined;
  say('No display here: the demo walks the login pages itself, as a browser would, and says yes to them.');
  return {
    open: async (url) => {
      walkLogin(url).catch((error: unknown) => say(`The walk through the login pages failed: ${String(error)}`));
      return 'opened';
    },
  };
}

/** Stands for the user at a terminal: sees everything, answers nothing. */
const onlooker: Terminal = {
  interactive: true,
  tell: say,
  ask: async () => undefined,
  choose: async () => 0,
  listen: () => ({ [Symbol.dispose]: () => undefined }),
  event: () => undefined,
};

/** Shows that a token came, and not the token: what a demo prints ends up in logs. */
function maskedOutput(): PassThrough {
  const stream = new PassThrough();
  return stream.on('data', (bytes) => say(String(bytes).replace(/\S{12,}\s*$/, '***')));
}

async function runOne(argv: readonly string[], own: Parameters<typeof run>[1]['own']): Promise<number> {
  const interruption = new AbortController();
  const signals = createSignals();
  const stop = () => interruption.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    return await run(argv, {
      ...{ env, platform, interruption, signals, own },
      stdin: () => process.stdin,
      stdout: argv[0] === 'token' ? maskedOutput() : process.stdout,
      stderr: process.stderr,
      homedir: env['HOME'] ?? '',
      version: clientInfo.version,
      clientMetadataUrl: '',
      programs: createPrograms(env, signals),
      launch: { script: process.argv[1] ?? '', input: undefined, elapsed: () => 0 },
      tokenGiven: {},
    });
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Plays the main job on the sandbox. Returns the exit code of the first command that failed, else 0. */
async function playDemo(): Promise<number> {
  await using sandbox = await startSandbox();
  say(`${inTone('strong', 'postern, on a sandbox')}: an authorization server and a protected server on 127.0.0.1.`);
  const store = await chooseStore();
  const browser = chooseBrowser();
  const own = { ...(store && { store }), ...(browser && { browser, terminal: onlooker }) };
  for (const [why, words] of script) {
    const argv = words.map((word) => (word === 'SERVER' ? sandbox.serverUrl : word));
    say(`\n${inTone('dim', `# ${why}`)}\n${inTone('strong', `$ postern ${argv.join(' ')}`)}`);
    const code = await runOne(argv, own);
    if (code !== 0) {
      say(`\nThe demo stops: that command ended with exit code ${code}.`);
      return code;
    }
  }
  const count = sandbox.requests.length;
  say(`\n${inTone('good', 'Done.')} The servers were asked ${count} times. With -v you see each request.`);
  say(`Next: ${inTone('name', 'npm i -g .')} and ${inTone('name', 'postern login URL')}`);
  return 0;
}

try {
  process.exitCode = await playDemo();
} finally {
  await rm(folder, { recursive: true, force: true });
}
