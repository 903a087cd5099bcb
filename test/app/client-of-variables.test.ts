import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWaysOfJobs } from '../../src/app/wrong-command-line.js';
import { makeHome } from '../support/home.js';
import { exitCode, Failure, isFailure } from '../support/product.js';
import { runProgram } from '../support/program.js';

const server = 'https://mcp.example/mcp';

const failure = new Failure({
  code: 'login_needed',
  exit: exitCode.loginNeeded,
  message: 'There is none.',
  remedy: `Run: postern login ${server}`,
});

const table = {
  name: 'call',
  summary: '',
  positionals: [],
  options: [{ name: 'client-credentials', kind: 'boolean', describe: '' }],
} as const;

function remedyFor(args: Parameters<typeof withWaysOfJobs>[2], env: Record<string, string>) {
  const shown = withWaysOfJobs(failure, table, args, env);
  return isFailure(shown) ? shown.remedy : undefined;
}

test('a job that has a client in its variables is told to log in as that', () => {
  const env = { POSTERN_CLIENT_ID: 'ci' };
  const named = remedyFor({ server }, env) ?? '';
  assert.match(named, /POSTERN_CLIENT_ID.* --client-credentials --authorization-server ISSUER\b/);
  const whole = remedyFor({ url: server }, { ...env, POSTERN_AUTHORIZATION_SERVER: 'https://as.example' }) ?? '';
  assert.match(whole, /POSTERN_CLIENT_ID.* --client-credentials\b(?! --authorization)/);
  for (const said of [named, whole]) assert.ok(said.endsWith(`postern login ${server}`), said);
});

test('not without such a client, where it was said, for a name, or for a command that cannot', () => {
  const env = { POSTERN_CLIENT_ID: 'ci' };
  assert.equal(remedyFor({ server }, {}), failure.remedy);
  assert.equal(remedyFor({ server, clientCredentials: true }, env), failure.remedy);
  assert.equal(remedyFor({ server: 'work' }, env), failure.remedy);
  assert.equal(withWaysOfJobs(failure, { ...table, options: [] }, { server }, env), failure);
  const other = new Error('no failure');
  assert.equal(withWaysOfJobs(other, table, { server }, env), other);
});

test('in CI a token is not had without it, and the failure says how', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const { code, stderr } = await runProgram(home, ['token', server]);
  assert.equal(code, 3);
  assert.match(stderr, /add --client-credentials --authorization-server ISSUER\. As a person: postern login /);
});

test('in CI a job without a client is told each way that needs no person', async () => {
  await using home = await makeHome({ CI: 'true' });
  for (const words of [['login'], ['token'], ['proxy'], ['credential', 'headers']]) {
    const { code, stderr } = await runProgram(home, [...words, server]);
    assert.equal(code, 3, stderr);
    const said = stderr.replaceAll(/\s+/g, ' ');
    assert.match(
      said,
      new RegExp(`In CI, set POSTERN_TOKEN,.* or run: postern login ${server} --client-credentials\\.`),
    );
    assert.match(said, /postern help machines/);
    assert.doesNotMatch(said, /Run: postern login/);
  }
});

test('POSTERN_CLIENT_SECRET is read by nothing, and one note says so, without it', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_SECRET: 'canary-of-a-secret' });
  const { stderr } = await runProgram(home, ['token', server]);
  assert.equal(stderr.match(/POSTERN_CLIENT_SECRET /g)?.length, 1, stderr);
  assert.match(stderr, /POSTERN_CLIENT_SECRET is not read.*POSTERN_CLIENT_SECRET_FILE/);
  assert.doesNotMatch(stderr, /canary/);
});

test('a file of a secret or key that is not there is told with what names it', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const own = ['--client-credentials'];
  const said = async (variables: Record<string, string>, ...words: readonly string[]) => {
    const env = { ...home.env, ...variables };
    return (await runProgram({ ...home, env }, ['token', server, ...own, ...words])).stderr;
  };
  const file = 'not-there';
  assert.match(
    await said({ POSTERN_CLIENT_SECRET_FILE: file }),
    /no file "not-there"\..*\s+Check POSTERN_CLIENT_SECRET_FILE\./,
  );
  assert.match(await said({}, '--client-secret-file', file), /Check --client-secret-file\./);
  assert.match(await said({}, '--client-key-file', file), /Check --client-key-file\./);
});
