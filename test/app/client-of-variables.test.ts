import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withClientOfVariables } from '../../src/app/wrong-command-line.js';
import { exitCode, Failure, isFailure } from '../../src/core/failure.js';
import { makeHome } from '../support/home.js';
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

function remedyFor(args: Parameters<typeof withClientOfVariables>[2], env: Record<string, string>) {
  const shown = withClientOfVariables(failure, table, args, env);
  return isFailure(shown) ? shown.remedy : undefined;
}

test('a job that has a client in its variables is told to log in as that', () => {
  const env = { POSTERN_CLIENT_ID: 'ci' };
  const asPerson = `As a person: postern login ${server}`;
  assert.equal(
    remedyFor({ server }, env),
    `To log in as the client of POSTERN_CLIENT_ID, add --client-credentials --authorization-server ISSUER --store memory. ${asPerson}`,
  );
  assert.equal(
    remedyFor({ url: server }, { ...env, POSTERN_AUTHORIZATION_SERVER: 'https://as.example' }),
    `To log in as the client of POSTERN_CLIENT_ID, add --client-credentials --store memory. ${asPerson}`,
  );
});

test('not without such a client, where it was said, for a name, or for a command that cannot', () => {
  const env = { POSTERN_CLIENT_ID: 'ci' };
  assert.equal(remedyFor({ server }, {}), failure.remedy);
  assert.equal(remedyFor({ server, clientCredentials: true }, env), failure.remedy);
  assert.equal(remedyFor({ server: 'work' }, env), failure.remedy);
  assert.equal(withClientOfVariables(failure, { ...table, options: [] }, { server }, env), failure);
  const other = new Error('no failure');
  assert.equal(withClientOfVariables(other, table, { server }, env), other);
});

test('in CI a token is not had without it, and the failure says how', async () => {
  await using home = await makeHome({ CI: 'true', POSTERN_CLIENT_ID: 'ci' });
  const { code, stderr } = await runProgram(home, ['token', server]);
  assert.equal(code, 3);
  assert.match(
    stderr,
    /add --client-credentials --authorization-server ISSUER --store memory\. As a person: postern login /,
  );
});
