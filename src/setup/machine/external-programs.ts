import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { statePaths } from '../../stores/paths.js';
import type { CommandEnd, ExternalPrograms, Machine, ProgramCommand, StartWords } from '../ports.js';
import { ownProgram } from './own-program.js';
import { createProgramFiles } from './program-files.js';
import { createSetupRecords } from './setup-records.js';

export interface ExternalProgramsOptions {
  readonly env: Machine['env'];
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** The launcher's absolute path. */
  readonly script: string;
}

/** Other programs of this machine's user. */
export function createExternalPrograms(options: ExternalProgramsOptions): ExternalPrograms {
  const { env, platform, homedir, script } = options;
  const stateFolder = statePaths(env, platform, homedir).state;
  return {
    machine: {
      env,
      platform,
      homedir,
      stateFolder,
      workingFolder: process.cwd(),
      start: startWords(process.execPath, script),
      variables: ownProgram(options).variables,
    },
    files: createProgramFiles(),
    records: createSetupRecords(join(stateFolder, 'setup')),
    find: (command) => findOnPath(command, env),
    run: runProgram,
  };
}

function findOnPath(command: string, env: Machine['env']): string | undefined {
  const ends = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute) // never from the working folder
    .flatMap((folder) => ends.map((end) => join(folder, `${command}${end}`)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const maxBytes = 1024 * 1024;

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
        if (output[name].length > maxBytes) stop(() => resolve({ kind: 'too_much' }));
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

/**
 * The paths by which another program can start this one again and again. Real ones, since links of shells' own
 * (fnm, nvm's `current`) come and go; but where real paths hold a version (Homebrew, pnpm), the link to them.
 * @param execPath `process.execPath` @param script The launcher as it was started, perhaps by a link to it.
 */
export function startWords(execPath: string, script: string): StartWords {
  const real = followed(script) ?? script;
  const isVersioned = /[\\/](?:\.pnpm|Cellar)[\\/]/.test(real);
  const chosen = isVersioned && real !== script ? script : real;
  return { node: nodePath(execPath), script: chosen, lasts: lastsOf(execPath, real) };
}

/** Homebrew replaces `Cellar/node/<version>` at each upgrade, and keeps `opt/node` pointing at it. */
function nodePath(execPath: string): string {
  const cellar = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/(.*)$/.exec(execPath);
  if (cellar === null) return execPath;
  const [, prefix, formula, rest] = cellar;
  const link = `${prefix}/opt/${formula}/${rest}`;
  return followed(link) === followed(execPath) ? link : execPath;
}

function lastsOf(node: string, script: string): StartWords['lasts'] {
  if (/[\\/](?:_npx|dlx[^\\/]*|\.bun[\\/]install[\\/]cache)[\\/]/.test(script)) return 'cache';
  if (!/[\\/]node_modules[\\/]/.test(script)) return 'checkout';
  return /[\\/](?:\.?nvm|\.?fnm|fnm|\.volta|\.asdf|mise|\.?nodenv|n[\\/]versions)[\\/]/.test(node)
    ? 'this-version-of-node'
    : 'upgrades';
}

function followed(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
