import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { runHere } from '../support/in-process.js';

const server = 'https://mcp.example/mcp';

test('in CI a token is not had without it, and the failure says how', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const { code, stderr } = await runHere(home, ['token', server]);
  assert.equal(code, 3);
  assert.match(
    stderr.replaceAll(/\s+/g, ' '),
    /Without a user, set POSTERN_TOKEN, add --client-credentials, or run: postern login /,
  );
});

test('in CI a job without a client is told each way that needs no person', async () => {
  await using home = await makeHome({ CI: 'true' });
  for (const words of [['login'], ['token'], ['proxy'], ['credential', 'headers']]) {
    const { code, stderr } = await runHere(home, [...words, server]);
    assert.equal(code, 3, stderr);
    const said = stderr.replaceAll(/\s+/g, ' ');
    assert.match(
      said,
      new RegExp(`Without a user, set POSTERN_TOKEN,.* or run: postern login ${server} --client-credentials\\.`),
    );
    assert.match(said, /postern help machines/);
    assert.doesNotMatch(said, /Run: postern login/);
  }
});

test('POSTERN_CLIENT_SECRET is read by nothing, and one note says so, without it', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_SECRET: 'canary-of-a-secret' });
  const { stderr } = await runHere(home, ['token', server]);
  assert.equal(stderr.match(/POSTERN_CLIENT_SECRET /g)?.length, 1, stderr);
  assert.match(stderr, /POSTERN_CLIENT_SECRET is not read.*POSTERN_CLIENT_SECRET_FILE/);
  assert.doesNotMatch(stderr, /canary/);
});

test('a file of a secret or key that is not there is told with what names it', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const own = ['--client-credentials'];
  const said = async (variables: Record<string, string>, ...words: readonly string[]) => {
    const env = { ...home.env, ...variables };
    return (await runHere({ ...home, env }, ['token', server, ...own, ...words])).stderr;
  };
  const file = 'not-there';
  assert.match(
    await said({ POSTERN_CLIENT_SECRET_FILE: file }),
    /no file "not-there"\..*\s+Check POSTERN_CLIENT_SECRET_FILE\./,
  );
  assert.match(await said({}, '--client-secret-file', file), /Check --client-secret-file\./);
  assert.match(await said({}, '--client-key-file', file), /Check --client-key-file\./);
});
