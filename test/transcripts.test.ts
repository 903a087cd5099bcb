import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { repositoryRoot } from './support/repository.js';
import { type Sandbox, startSandbox } from './support/start-sandbox.js';
import { Session } from './transcripts/session.js';
import { sessions } from './transcripts/sessions.js';

const folder = join(repositoryRoot, 'test', 'transcripts');
const writes = (process.env['POSTERN_WRITE_TRANSCRIPTS'] ?? '') !== '';
// Paths, sockets and openers of other systems read otherwise.
const skip = process.platform === 'linux' ? false : 'transcripts are of Linux';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox({ accessTokenSeconds: 3_630 });
});
after(() => sandbox.close());

for (const [name, play] of Object.entries(sessions)) {
  test(`transcript ${name}: a person reads exactly this`, { skip }, async () => {
    const session = await Session.begin(sandbox);
    await play(session).finally(() => session.end());
    const found = await session.end();
    const file = join(folder, `${name}.txt`);
    if (writes) await writeFile(file, found);
    assert.equal(found, await readFile(file, 'utf8'), `see test/transcripts/${name}.txt`);
    assert.deepEqual(
      found.split('\n').filter((line) => line !== line.trimEnd() || line.includes('\u001b')),
      [],
      'blanks at ends of lines, or colours',
    );
  });
}

test('every transcript is played by a session', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  assert.deepEqual(
    files.sort(),
    Object.keys(sessions)
      .map((name) => `${name}.txt`)
      .sort(),
  );
});
