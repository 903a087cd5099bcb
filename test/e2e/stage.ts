import { type FakeBrowser, fakeBrowser } from '../support/fake-browser.js';
import { type Home, makeHome } from '../support/home.js';
import { type Keyring, startKeyring } from '../support/keyring.js';
import type { SandboxOptions } from '../support/product.js';
import { type Finished, programCommand, type Running, runProgram, startProgram } from '../support/program.js';
import { type AtTerminal, startAtTerminal } from '../support/pty.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

/** Everything that a login needs, real but for the person: servers, keychain, home, a program that opens URLs. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly keyring: Keyring;
  readonly home: Home;
  readonly browser: FakeBrowser;
  /** Everything that every program of this stage wrote, by its command line. */
  readonly printed: Readonly<Record<string, string>>;
  /** `postern` at a terminal, 100 columns wide: all three of its streams are that terminal. */
  atTerminal(...args: string[]): Promise<AtTerminal>;
  /** `postern` without a terminal. */
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Finished>;
  /** The access token that `postern token` prints. What it wrote is not noted in `printed`. */
  token(server: string): Promise<string>;
}

/** Sets the stage; leaving the scope strikes it, the programs that still run first. */
export async function openStage(options: SandboxOptions = {}): Promise<Stage> {
  const keyring = await startKeyring();
  const sandbox = await startSandbox(options);
  const bare = await makeHome(keyring.env);
  const browser = await fakeBrowser(bare);
  const home: Home = { ...bare, env: { ...bare.env, BROWSER: browser.path } };
  const printed: Record<string, string> = {};
  const note = (args: readonly string[], { stdout, stderr }: { stdout: string; stderr: string }): void => {
    const name = `${Object.keys(printed).length}: ${args.join(' ')}`;
    printed[name] = `${stdout}\n${stderr}`;
  };
  const noted = (args: readonly string[], running: Running): Running => {
    void running.finished.then((finished) => note(args, finished));
    return running;
  };
  return {
    sandbox,
    keyring,
    home,
    browser,
    printed,
    atTerminal: async (...args) => {
      const terminal = await startAtTerminal(home, programCommand(args), { stdout: 'terminal', columns: 100 });
      noted(args, terminal.screen);
      return terminal;
    },
    start: (...args) => noted(args, startProgram(home, args)),
    run: async (...args) => {
      const finished = await runProgram(home, args);
      note(args, finished);
      return finished;
    },
    token: async (server) => {
      const { code, stdout, stderr } = await runProgram(home, ['token', server]);
      if (code !== 0) throw new Error(`token: exit ${code}: ${stderr}`);
      return stdout.trim();
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await home[Symbol.asyncDispose]();
      await keyring[Symbol.asyncDispose]();
    },
  };
}

// biome-ignore lint/performance/noBarrelFile: tests of other rooms find them here
export { authorizationUrlOf } from '../support/at-stage.js';
