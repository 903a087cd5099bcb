// `npm run picture`: plays sessions of postern with the sandbox in a real terminal (tmux), and draws what it shows as
// .github/terminal-light.svg, .github/doctor-light.svg, and both in dark. Text stays text. Nothing leaves this machine.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './environment.mjs';
import { drawTerminal } from './terminal-svg.mjs';

/** What a person types, by picture. The second sandbox says that it is another server. */
const sessions = {
  terminal: [
    'postern login http://127.0.0.1:8400/mcp --name work',
    'postern call work',
    'postern call work echo text=hello',
    'postern status',
  ],
  doctor: ['postern doctor http://127.0.0.1:8410/mcp', 'postern doctor http://127.0.0.1:8400/mcp'],
};
const columns = 96;
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

const sandboxes = [startSandbox(8400), startSandbox(8410, '--misbehave', 'prm-wrong-resource')];
try {
  for (const sandbox of sandboxes) {
    await Promise.race([once(sandbox.stdout, 'data'), once(sandbox, 'exit').then(() => fail('a sandbox did not start'))]);
  }
  for (const [name, typed] of Object.entries(sessions)) {
    const screen = await play(typed);
    for (const theme of ['light', 'dark']) {
      const drawn = drawTerminal(screen, { columns, theme, title: 'postern' });
      writeFileSync(join(root, '.github', `${name}-${theme}.svg`), drawn);
    }
    process.stdout.write(`${screen}\n`);
  }
} finally {
  for (const sandbox of sandboxes) {
    sandbox.kill();
    await once(sandbox, 'exit');
  }
  rmSync(home, { recursive: true });
}

function startSandbox(port, ...more) {
  const words = ['sandbox', '--approve', '--port', String(port), '--authorization-port', String(port + 1), ...more];
  return spawn('postern', words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Types the lines into a terminal of their own: what it shows at the end. */
async function play(typed) {
  try {
    tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), 'bash', '--noprofile', '--norc');
    await prompt();
    for (const line of typed) {
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
      await prompt();
    }
    // The last prompt waits for nobody.
    return tmux('capture-pane', '-e', '-p').trimStart().replace(/\s+(?:\u001b\[[\d;]*m)*\$\s*$/, '');
  } finally {
    spawnSync('tmux', ['-L', socket, 'kill-server'], { env });
  }
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
