// `npm run picture`: plays a session of postern with the sandbox in a real terminal (tmux), and draws what it shows as
// .github/terminal-light.svg and .github/terminal-dark.svg. Text stays text. Nothing leaves this machine.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './environment.mjs';
import { drawTerminal } from './terminal-svg.mjs';

/** What a person types. */
const typed = [
  'postern login http://127.0.0.1:8400/mcp --name work',
  'postern call work',
  'postern call work echo text=hello',
  'postern status',
];
const columns = 88;
const rows = 70;

const root = fileURLToPath(new URL('..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'postern-picture-'));
const socket = `postern-picture-${process.pid}`;
const bin = join(home, 'bin');
mkdirSync(bin);
script('postern', `exec '${process.execPath}' '${join(root, 'bin', 'postern.js')}' "$@"`);
// The sandbox approves by itself, so that a browser has nothing to do but to go where it is sent.
script('browser', 'exec curl -sL -H "sec-fetch-mode: navigate" -H "sec-fetch-dest: document" "$1" > /dev/null');
writeFileSync(join(home, 'key'), randomBytes(32), { mode: 0o600 });
const env = {
  ...cleanEnvironment(),
  HOME: home,
  PATH: `${bin}:${process.env.PATH}`,
  // What is typed is bold: PS0 ends that when the command starts.
  PS1: '\\n\\[\\e[1m\\]$ ',
  PS0: '\\[\\e[0m\\]',
  LANG: 'C.UTF-8',
  BROWSER: join(bin, 'browser'),
  DISPLAY: ':0',
  POSTERN_STORE: 'file',
  POSTERN_STORE_KEY_FILE: join(home, 'key'),
  // Read by bash before each prompt: the command before it has ended.
  PROMPT_COMMAND: `tmux -L ${socket} wait-for -S prompt`,
};

const sandbox = spawn('postern', ['sandbox', '--approve', '--port', '8400', '--authorization-port', '8401'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
try {
  await Promise.race([once(sandbox.stdout, 'data'), once(sandbox, 'exit').then(() => fail('the sandbox did not start'))]);
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), 'bash', '--noprofile', '--norc');
  await prompt();
  for (const line of typed) {
    tmux('send-keys', '-l', line);
    tmux('send-keys', 'Enter');
    await prompt();
  }
  // The last prompt waits for nobody.
  const screen = tmux('capture-pane', '-e', '-p').trimStart().replace(/\s+(?:\u001b\[[\d;]*m)*\$\s*$/, '');
  for (const theme of ['light', 'dark']) {
    writeFileSync(join(root, '.github', `terminal-${theme}.svg`), drawTerminal(screen, { columns, theme, title: 'postern' }));
  }
  process.stdout.write(`${screen}\n`);
} finally {
  spawnSync('tmux', ['-L', socket, 'kill-server'], { env });
  sandbox.kill();
  await once(sandbox, 'exit');
  rmSync(home, { recursive: true });
}

/** Waits until bash asks for the next line, and the terminal has drawn it. */
async function prompt() {
  const { status } = spawnSync('tmux', ['-L', socket, 'wait-for', 'prompt'], { env, timeout: 60_000 });
  if (status !== 0) fail('no prompt came');
  await new Promise((resolve) => setTimeout(resolve, 200));
}

function tmux(...args) {
  const { status, stdout, error } = spawnSync('tmux', ['-L', socket, ...args], { env, encoding: 'utf8' });
  if (status !== 0) fail(`tmux ${args[0]} failed${error === undefined ? '' : ': is tmux installed?'}`);
  return stdout;
}

function script(name, line) {
  writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

function fail(reason) {
  throw new Error(reason);
}
