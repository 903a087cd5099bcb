import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { rounds } from '../endurance/expiry.js';
import { type Desktop, type HeadedBrowser, headedChromium, headedFirefox, openDesktop } from '../support/desktop.js';
import { needs } from '../support/needs.js';
import { programCommand } from '../support/program.js';
import { type AtTerminal, startAtTerminal } from '../support/pty.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { openStage, type Stage } from './stage.js';

/** Seconds that the slowest person takes: 130 is longer than any limit that a browser or Node.js sets by itself. */
const longest = rounds('POSTERN_ENDURANCE_PERSON_SECONDS', 35, 300);

const skip = needs('chromium', 'firefox', 'xvfb', 'gnome-keyring', 'secret-tool', 'script');

/** One person: half of the time on the page that asks who they are, half of it on the one that asks for consent. */
async function allow(browser: HeadedBrowser, seconds: number): Promise<void> {
  for (const button of ['button[name=account][value=alice]', 'button[name=decision][value=allow]']) {
    await browser.isShown(button);
    await wait(seconds * 500);
    await browser.click(button);
  }
}

/** The browser is not found by a driver: it starts itself with the address as its argument, a window and all. */
async function atDesktop(
  stage: Stage,
  browser: HeadedBrowser,
  desktop: Desktop,
  command: readonly string[],
): Promise<AtTerminal> {
  const env = { ...stage.home.env, ...desktop.env, BROWSER: browser.path };
  return startAtTerminal({ ...stage.home, env }, command, { stdout: 'terminal', columns: 100 });
}

test('[A-113] a person may take their time with a browser that the program started by its command line', {
  skip,
  concurrency: true,
}, async (t) => {
  await using stage = await openStage();
  await using desktop = await openDesktop();
  const logIn = async (browser: HeadedBrowser, account: string, seconds: number) => {
    const sandbox = await startSandbox();
    t.after(() => sandbox.close());
    const { serverUrl } = sandbox;
    const words = ['login', serverUrl, '--account', account];
    await using login = await atDesktop(stage, browser, desktop, programCommand(words));
    const ended = login.screen.finished;
    const early = ended.then(({ stdout }) => Promise.reject(new Error(`the login ended early: ${stdout}`)));
    await Promise.race([allow(browser, seconds), early]);
    await browser.sees('You are logged in');
    const { code, stdout } = await ended;
    assert.equal(code, 0, stdout);
    const call = await stage.run('call', serverUrl, 'whoami', '--account', account);
    assert.match(call.stdout, /alice/, call.stderr);
  };
  // At the same time: these are real seconds.
  await Promise.all([
    ...[8, longest].map((seconds) =>
      t.test(`Chromium, ${seconds} s on the pages`, async () => {
        await using browser = await headedChromium(stage.home, `chromium-${seconds}`);
        await logIn(browser, `chromium-${seconds}`, seconds);
      }),
    ),
    t.test('Firefox, 20 s on the pages', async () => {
      await using browser = await headedFirefox(stage.home, 'firefox', desktop);
      await logIn(browser, 'firefox', 20);
    }),
    t.test('npm run demo, Chromium, 8 s on the pages of its first login', async () => {
      await using browser = await headedChromium(stage.home, 'chromium-of-the-demo');
      const script = join(repositoryRoot, 'build', 'src', 'demo.js');
      await using demo = await atDesktop(stage, browser, desktop, [process.execPath, script]);
      await allow(browser, 8);
      await demo.screen.waitForStdout(/note_add text=Hello --login/);
      await browser.click('button[name=decision][value=allow]');
      const { code, stdout } = await demo.screen.finished;
      assert.equal(code, 0, stdout);
      assert.match(stdout, /postern logout work[\s\S]*Done\./);
    }),
  ]);
});
