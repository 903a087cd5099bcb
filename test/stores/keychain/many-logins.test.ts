import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../../support/home.js';
import type { IndexDocument } from '../../support/product.js';
import { type Finished, programCommand, runProgram, startCommand } from '../../support/program.js';
import { loginNamed } from '../index/sample-login.js';

/** As many as are kept. */
const maxLogins = 1000;

function documentOf(count: number): IndexDocument {
  const logins = Array.from({ length: count }, (_, at) => loginNamed(`n${at}`));
  return { version: 1, logins, registrations: [] };
}

async function keep(home: Home, document: IndexDocument): Promise<string> {
  const folder = join(home.path, 'state', 'postern');
  await mkdir(folder, { mode: 0o700 });
  const path = join(folder, 'logins.json');
  await writeFile(path, JSON.stringify(document, null, 1), { mode: 0o600 });
  return path;
}

test('[A-262] as many logins as are kept are listed; one more is refused before anything is sent', async () => {
  await using home = await makeHome();
  const path = await keep(home, documentOf(maxLogins));
  const server = 'http://127.0.0.1:9/mcp';
  const listed = await runProgram(home, ['status', '--json']);
  assert.equal(JSON.parse(listed.stdout).logins.length, maxLogins);
  const login = () => {
    const words = ['login', server, '--client-credentials', '--client-id', 'client', '--client-secret-stdin'];
    return runProgram(home, words, 'secret\n');
  };
  const more = await login();
  assert.equal(more.code, 7);
  assert.match(more.stderr, /You have 1000 logins.*\n.*postern logout.*\n.*too_many_logins, exit 7/);
  const { logins } = documentOf(maxLogins);
  await writeFile(path, JSON.stringify({ ...documentOf(0), logins: logins.with(0, { ...loginNamed('n0'), server }) }));
  assert.match((await login()).stderr, /server_unreachable|network_failed/, 'an old one is replaced all the same');
});

test('[A-262] a hundred thousand logins from elsewhere: not read, said with the remedy, left as it was', async () => {
  await using home = await makeHome();
  const path = await keep(home, documentOf(100_000));
  const before = await readFile(path);
  for (const words of [['status'], ['token', 'n1'], ['logout', 'n1']]) {
    const { code, stderr, stdout } = await runProgram(home, words);
    assert.deepEqual([code, stdout], [7, ''], words.join(' '));
    assert.match(stderr, /larger than 1 MiB.*\n.*move it away \(mv .*\n.*index_too_large, exit 7/);
  }
  assert.ok(before.equals(await readFile(path)));
});

test('[A-262] with ever fewer files to open a command works, or says what is missing; never a fault of its own', async (t) => {
  await using home = await makeHome();
  await keep(home, documentOf(1));
  const status = (limit: number): Promise<Finished> => {
    const limited = ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...programCommand(['status'])];
    return startCommand('/bin/sh', limited, home).finished;
  };
  let limit = 40;
  let last = await status(limit);
  assert.equal(last.code, 0, last.stderr);
  while (last.code === 0) {
    limit -= 1;
    last = await status(limit);
  }
  t.diagnostic(`with ${limit} files: ${last.stderr.split('\n')[0]}`);
  // One less than it needs: the list of logins cannot be opened, or a part of the program before it.
  assert.equal(last.code, 7, last.stderr);
  assert.match(
    last.stderr,
    /(?:logins\.json" could not be read|Too many open files): this process may open no more files/,
  );
  assert.match(last.stderr, /\(EMFILE\).*\n.*ulimit -n.*\n.*(?:state_unreadable|out_of_files), exit 7/);
});
