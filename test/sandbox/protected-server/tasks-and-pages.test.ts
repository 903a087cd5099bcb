import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeWithBrowser } from '../../call/home-with-browser.js';
import { getFrom } from '../../login/browser/listener-under-test.js';
import { fakeBrowser } from '../../support/fake-browser.js';
import { makeHomeWithKey } from '../../support/home.js';
import { needs } from '../../support/needs.js';
import { walkLogin } from '../../support/product.js';
import { programCommand, runProgram, startProgram } from '../../support/program.js';
import { startAtTerminal } from '../../support/pty.js';
import { startSandbox } from '../../support/start-sandbox.js';

const eras = ['newer', 'older', 'both'] as const;

/** A sandbox of these eras, and a home that is logged in there. */
async function loggedIn(era: (typeof eras)[number]) {
  const sandbox = await startSandbox({ eras: era, approve: true });
  const given = await homeWithBrowser();
  const made = await runProgram(given.home, ['login', sandbox.serverUrl, '--device', '--name', 'work']);
  assert.equal(made.code, 0, made.stderr);
  return {
    ...given,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      await given.home[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

test('[Q-5.9] report is a task for clients that have tasks, on the official server, and a usual call in the older era', async () => {
  for (const era of eras) {
    await using given = await loggedIn(era);
    const words = ['call', 'work', 'report', 'ask=true', 'delayMs=200', '--elicitation', 'defaults'];
    const { code, stdout, stderr } = await runProgram(given.home, words);
    assert.deepEqual([code, stdout], [0, 'Untitled: 3 steps.\n'], stderr);
    assert.equal(/^Task [\w-]+: input required$/m.test(stderr), era !== 'older', era);
    assert.equal(/^Task [\w-]+: working "Step \d of 3\."$/m.test(stderr), era !== 'older', era);
    if (era !== 'newer') continue;
    const failed = await runProgram(given.home, ['call', 'work', 'report', 'fail=true', 'delayMs=0']);
    assert.deepEqual([failed.code, failed.stdout], [8, 'The report could not be written.\n']);
    await using running = startProgram(given.home, ['call', 'work', 'report', 'steps=100']);
    await running.waitForStderr(/working "Step/);
    running.kill('SIGINT');
    const ended = await running.finished;
    assert.deepEqual([ended.code, ended.stderr.split('\n').at(-2)], [130, 'Cancelled. The server has ended its task.']);
  }
});

test('[Q-4.7][Q-4.8][Q-4.9] connect has its page opened, on the official server: in the newer era, in the older, and there with -32042 first', {
  skip: needs('script'),
}, async () => {
  for (const [era, refuse] of [
    ['newer', false],
    ['older', false],
    ['older', true],
  ] as const) {
    await using given = await loggedIn(era);
    const words = programCommand(['call', 'work', 'connect', `refuse=${refuse}`]);
    await using terminal = await startAtTerminal(given.home, words, { stdout: 'file', columns: 100 });
    const { screen, type } = terminal;
    await screen.waitForStdout(/Open this page\?/);
    type('y\r');
    const link = new URL(await given.browser.opened());
    const sent = await getFrom(Number(link.port), link.pathname, { host: link.host });
    await screen.waitForStdout(era === 'older' && !refuse ? /The server goes on when/ : /press Enter to go on/);
    assert.match(await (await fetch(sent.headers['location'] ?? '')).text(), /The sandbox has seen you<\/h1>/);
    if (era === 'newer') type('\r');
    assert.equal((await screen.finished).code, 0, screen.stdout);
    assert.equal(await terminal.result(), 'Your browser was here.\n');
    assert.equal(/The server says that this is done\./.test(screen.stdout), refuse);
  }
});

test('[Q-4.7] a page opens in the browser that the login was made with, and in no other', {
  skip: needs('script'),
}, async () => {
  await using sandbox = await startSandbox({ eras: 'newer' });
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  const browser = await fakeBrowser(home);
  const words = ['login', sandbox.serverUrl, '--name', 'work', '--browser', '--browser-with', browser.path];
  await using login = startProgram(home, words);
  await walkLogin(await browser.opened());
  assert.equal((await login.finished).code, 0);
  await browser.forget();
  const call = programCommand(['call', 'work', 'connect']);
  await using terminal = await startAtTerminal(home, call, { stdout: 'file', columns: 100 });
  await terminal.screen.waitForStdout(/Open this page\?/);
  terminal.type('y\r');
  assert.match(await browser.opened(), /\/go\/[\w-]+$/);
  await terminal.screen.waitForStdout(/press Enter to go on/);
  terminal.type('c\r');
  await terminal.screen.finished;
  assert.equal(await terminal.result(), 'The person did not open the page (cancel).\n');
});
