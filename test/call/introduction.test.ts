import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHomeWithKey } from '../support/home.js';
import { runHere, startHere, terminalHere } from '../support/in-process.js';

test('call -l begins at a terminal with what the server says of itself, in either era; a pipe gets the list alone', async () => {
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  for (const eras of ['older', 'newer']) {
    await using sandbox = startHere(home, ['sandbox', '--approve', '--eras', eras]);
    const [server = ''] = await sandbox.waitForStdout(/^http\S+$/m);
    const login = await runHere(home, ['login', server, '--device', '--name', eras]);
    assert.equal(login.code, 0, login.stderr);
    const at = { stdout: 'terminal', columns: 100 } as const;
    for (let times = 0; times < 2; times += 1) {
      await using long = terminalHere(home, ['call', eras, '-l'], at);
      const { code, stdout } = await long.screen.finished;
      assert.equal(code, 0, stdout);
      assert.match(stdout, /Postern sandbox\S*\s+[^\n]*A protected server to try [\s\S]+whoami/);
    }
    const piped = await runHere(home, ['call', eras, '-l']);
    assert.match(piped.stdout, /^whoami/);
    assert.doesNotMatch(piped.stdout + piped.stderr, /server says/);
  }
});
