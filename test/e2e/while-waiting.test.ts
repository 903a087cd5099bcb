import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { programCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool', 'script');
const link = /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]+\r?$/m;

/** `postern login` at a terminal, by a shell that by default shows the terminal's settings when it has ended. */
async function logIn(stage: Stage, script = 'trap : INT; "$@"; echo "ended with $?"; stty -a') {
  const words = programCommand(['login', stage.sandbox.serverUrl]);
  const command = ['sh', '-c', script, 'sh', 'sh', '-c', 'echo "pid $$"; exec "$@"', 'sh', ...words];
  // A display, of which nothing is asked: the person sits at this machine.
  const home = { ...stage.home, env: { ...stage.home.env, DISPLAY: ':1' } };
  const terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns: 100 });
  const [shown] = await terminal.screen.waitForStdout(link);
  const [, pid] = await terminal.screen.waitForStdout(/^pid (\d+)/m);
  return { terminal, screen: terminal.screen, shown: shown.trim(), pid: Number(pid) };
}

function isAsItWas(screen: string): boolean {
  return [' icanon', ' echo ', ' isig'].every((setting) => screen.replaceAll(/\s/g, ' ').includes(setting));
}

/** Waits for the end of a process; fails where it is stopped, as one is that sets the terminal in the background. */
async function endOrStop(pid: number): Promise<void> {
  const late = performance.now() + 30_000;
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    if (state === '' || state === 'Z') return;
    const isLate = performance.now() > late;
    if (state === 'T' || isLate) process.kill(pid, 'SIGKILL'); // no other signal ends what is stopped
    assert.notEqual(state, 'T', 'the login was stopped in the background');
    assert.ok(!isLate, 'the login does not end in the background');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('beside the opened browser: another link, the time, Enter opens and shows it again; then all is as it was', {
  skip,
}, async () => {
  await using stage = await openStage();
  const { terminal, screen, shown } = await logIn(stage);
  await using _terminal = terminal;
  const first = await stage.browser.opened();
  assert.notEqual(shown, first);
  await screen.waitForStdout(/Waiting for the browser \(15 min left; Enter opens the page again\)/);
  await stage.browser.forget();
  const enter = setInterval(() => terminal.type('\r'), 1_000); // the first second after the browser opened counts for nothing
  const second = await stage.browser.opened();
  clearInterval(enter);
  assert.notEqual(second, first);
  await screen.waitForStdout(new RegExp(`${shown}[^]*/go/(?!${shown.slice(-43)})`));
  await walkLogin(shown); // the terminal's
  const { stdout } = await screen.finished;
  assert.match(stdout, /ended with 0/);
  assert.ok(isAsItWas(stdout), stdout);
});

for (const [how, end] of [
  ['Ctrl-C', 130],
  ['SIGTERM', 143],
] as const) {
  test(`[A-111] ${how} while the browser is open: the terminal is as it was, and answers of another login were told`, {
    skip,
  }, async () => {
    await using stage = await openStage();
    const { terminal, screen, shown, pid } = await logIn(stage);
    await using _terminal = terminal;
    const callback = new URL('/callback?code=x&state=of-an-earlier-login', shown);
    const [response] = await once(get(callback), 'response');
    assert.equal(response.resume().statusCode, 400);
    if (how === 'Ctrl-C') terminal.type('\x03');
    else process.kill(pid, 'SIGTERM');
    const { stdout } = await screen.finished;
    assert.match(stdout, new RegExp(`ended with ${end}`));
    assert.match(stdout, /1 answer came with another state and was\s+ignored/);
    assert.ok(isAsItWas(stdout), stdout);
  });
}

for (const how of ['Ctrl-Z', 'SIGSTOP'] as const) {
  test(`a login that ${how} has stopped goes on in the background and ends there; the terminal stays the shell’s`, {
    skip,
  }, async () => {
    await using stage = await openStage();
    // What is stopped stays with its shell until it is found.
    const end = 'wait %1; ended=$?; while kill -0 %1; do sleep 0.2; done; echo "ended with $ended"; stty -a';
    const script = `set -m; "$@"; echo "left with $?"; stty sane; bg; echo "in the background"; ${end}`;
    const { terminal, screen, shown, pid } = await logIn(stage, script);
    await using _terminal = terminal;
    await stage.browser.opened();
    if (how === 'Ctrl-Z') terminal.type('\x1a');
    else process.kill(pid, 'SIGSTOP');
    await screen.waitForStdout(/left with 1\d\d.*in the background/s);
    const walked = walkLogin(shown).catch((error: Error) => error);
    await endOrStop(pid);
    assert.ok(!((await walked) instanceof Error), String(await walked));
    const { stdout } = await screen.finished;
    assert.match(stdout, /ended with 0/);
    assert.ok(isAsItWas(stdout), stdout);
  });
}

test('a login that begins in the background is not stopped there, and hears Enter once it is in the foreground', {
  skip,
}, async () => {
  await using stage = await openStage();
  // `fg` is for the shell that starts it, which reads when to do so.
  const script = 'set -m; "$@" & echo "begun"; read -r _; fg; echo "ended with $?"; stty -a';
  const { terminal, screen, pid } = await logIn(stage, script);
  await using _terminal = terminal;
  await stage.browser.opened();
  await screen.waitForStdout(/Waiting for the browser/);
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  assert.notEqual(stat.slice(stat.lastIndexOf(')') + 2)[0], 'T', 'the login was stopped in the background');
  terminal.type('now\r');
  const enter = setInterval(() => terminal.type('\r'), 1_000);
  await screen.waitForStdout(/Opened again/);
  clearInterval(enter);
  terminal.type('\x03');
  const { stdout } = await screen.finished;
  assert.match(stdout, /ended with 130/);
  assert.ok(isAsItWas(stdout), stdout);
});

test('with --json or --verbose: the address, with --json in an event of one line, too, and at the end of time what was ignored', {
  skip,
}, async () => {
  await using stage = await openStage();
  const waitInVain = async (option: '--json' | '--verbose') => {
    const words = ['--account', option.slice(2), '--no-browser', '--timeout', '10', option];
    await using login = stage.start('login', stage.sandbox.serverUrl, ...words);
    const [url] = await login.waitForStderr(/^http:\S+response_type=code\S*$/m);
    const redirect = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
    const [response] = await once(get(new URL('/callback?code=x&state=y', redirect)), 'response');
    response.resume();
    const { code, stderr } = await login.finished;
    assert.equal(code, 6);
    assert.match(stderr, /1 answer came with another state and was ignored/);
    if (option === '--verbose') return;
    const events = stderr.split('\n').filter((line) => line.startsWith('{"event"'));
    assert.deepEqual(
      events.map((line) => JSON.parse(line)),
      [{ event: 'login_page', url, redirectUri: redirect.href }],
    );
  };
  await Promise.all([waitInVain('--json'), waitInVain('--verbose')]);
});
