import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Home, makeHome } from '../../support/home.js';
import { needs } from '../../support/needs.js';
import { startCommand } from '../../support/program.js';
import { type AtTerminal, startAtTerminal } from '../../support/pty.js';

const skip = needs('script');
const worker = fileURLToPath(new URL('./ask-worker.js', import.meta.url));
const paste = (text: string) => `\x1b[200~${text}\x1b[201~\r`;

/** The worker at a terminal, and after it what the terminal is set to. */
function start(home: Home): Promise<AtTerminal> {
  const script = `"$0" "$1" > "$HOME/result"; cat "$HOME/result"; stty -a`;
  const command = ['sh', '-c', script, process.execPath, worker];
  return startAtTerminal(home, command, { stdout: 'terminal', columns: 80 });
}

function isAsItWas(screen: string): boolean {
  return [' icanon', ' echo ', ' isig'].every((setting) => screen.replaceAll(/\s/g, ' ').includes(setting));
}

test('a hidden answer is not shown, a long pasted one comes through whole, its line breaks too, and then the terminal is as it was [A-82]', {
  skip,
}, async () => {
  await using home = await makeHome();
  await using terminal = await start(home);
  const secret = `http://127.0.0.1:1/callback?code=${'canary'.repeat(1000)}\nand more`;
  await terminal.screen.waitForStdout(/Hidden: /);
  terminal.type(paste(secret));
  await terminal.screen.waitForStdout(/\\x1b\[2J\\x9b31mOpen: /);
  assert.doesNotMatch(terminal.screen.stdout, /canary/);
  terminal.type('wrod\x7f\x7f\x7ford\r');
  await terminal.screen.waitForStdout(/\\x1b\[2JWhich\?[\s\S]+2\) \\x1b\[2Jtwo/);
  terminal.type('7\r');
  await terminal.screen.waitForStdout(/Type a number from 1 to 2\./);
  terminal.type('2\r');
  const { stdout } = await terminal.screen.finished;
  const result = JSON.parse(/\{.*\}/.exec(stdout)?.[0] ?? '');
  assert.deepEqual(result, { interactive: true, hidden: secret, open: 'word', choice: 1 });
  assert.ok(isAsItWas(stdout), stdout);
});

test('a menu that is answered wrong three times ends the command', { skip }, async () => {
  await using home = await makeHome();
  await using terminal = await start(home);
  for (const question of ['Hidden', 'Open']) {
    await terminal.screen.waitForStdout(new RegExp(`${question}: `));
    terminal.type('x\r');
  }
  for (const [at, wrong] of ['7', '0', 'one'].entries()) {
    await terminal.screen.waitForStdout(new RegExp(`(Number \\(1 to 2\\)[\\s\\S]*){${at + 1}}`));
    terminal.type(`${wrong}\r`);
  }
  const { stdout } = await terminal.screen.finished;
  assert.match(stdout, /nothing_chosen, exit 2, Nothing was chosen at/);
  assert.ok(isAsItWas(stdout), stdout);
});

test('Ctrl-C in the middle of an answer ends the question and gives the terminal back', { skip }, async () => {
  await using home = await makeHome();
  await using terminal = await start(home);
  await terminal.screen.waitForStdout(/Hidden: /);
  terminal.type('half of it\x03');
  const { stdout } = await terminal.screen.finished;
  assert.match(stdout, /aborted/);
  assert.doesNotMatch(stdout, /half/);
  assert.ok(isAsItWas(stdout), stdout);
});

test('nobody is asked without a terminal, in CI, or with --non-interactive', { skip }, async () => {
  const interactive = async (home: Home, args: readonly string[] = []) => {
    const command = [process.execPath, worker, ...args];
    await using terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns: 80 });
    if (Object.hasOwn(home.env, 'CI') && home.env['CI'] === 'false') {
      await terminal.screen.waitForStdout(/Hidden: /);
      return true;
    }
    return JSON.parse((await terminal.screen.finished).stdout).interactive;
  };
  for (const [ci, expected] of [
    ['true', false],
    ['1', false],
    ['false', true],
  ] as const) {
    await using home = await makeHome({ CI: ci });
    assert.equal(await interactive(home), expected, ci);
  }
  await using home = await makeHome();
  assert.equal(await interactive(home, ['--non-interactive']), false);
  await using piped = startCommand(process.execPath, [worker], home);
  piped.stdin.end('typed\n');
  assert.equal(JSON.parse((await piped.finished).stdout).interactive, false);
});
