import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { explain } from '../../src/app/explain.js';
import { laidOut, reportFailure } from '../../src/app/print-failure.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable, LooseArguments } from '../../src/core/command.js';
import type { FailureDetail } from '../../src/core/failure.js';
import { wordMissing } from '../../src/core/failures.js';
import { runLogin } from '../../src/core/login-command.js';
import { loginRecord } from '../login/status/login-record.js';
import { Failure, type LoginRecord } from '../support/product.js';

const server = 'https://example.com/mcp';
const tables: readonly CommandTable[] = registry.map(({ table }) => table);

const failureWith = (detail: Partial<FailureDetail>) =>
  new Failure({ code: 'x', exit: 7, message: 'It is.', remedy: 'Do.', ...detail });

interface Machine {
  readonly env?: Readonly<Record<string, string>>;
  readonly logins?: readonly LoginRecord[];
  readonly programs?: readonly string[];
}

/** What that line is told of a failure. */
async function ways(failure: Failure, line: string, { env = {}, logins = [], programs = [] }: Machine = {}) {
  const argv = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  const table = tables.find(({ name }) => name === argv[0]);
  const parsed = await parseCommandLine(argv, { tables, version: '', env }).catch(() => undefined);
  const args: LooseArguments = parsed?.kind === 'command' ? parsed.args : {};
  const known = () => ({
    index: { read: async () => ({ logins }) },
    programsWithServers: async () => programs.map((title) => ({ name: title.toLowerCase(), title, count: 2 })),
  });
  return await explain(failure, { argv, table, args, known }, { env, tokenGiven: env });
}

const remedyOf = async (...line: Parameters<typeof ways>) => (await ways(...line)).join('\n');

test('a remedy that logs in repeats the server and what was typed for its login, and nothing that should not be shown', async () => {
  const damaged = failureWith({ remedy: ({ logIn }) => `Log in again: ${logIn()}` });
  const files = failureWith({ remedy: ({ logIn }) => `Use files (${logIn('--store file')}).` });
  const offered = failureWith({ remedy: ({ server: named }) => `See: postern call ${named}` });
  const typed = `login ${server} --name work --account me --client-id 'a b' --store keychain`;
  const again = `postern login ${server} --account me --name work --client-id 'a b'`;
  for (const [failure, line, remedy] of [
    [damaged, 'call work', 'Log in again: postern login work'],
    [damaged, 'token work --account me', 'Log in again: postern login work --account me'],
    [damaged, 'login work --force', 'Log in again: postern login work --force'],
    [damaged, 'status', 'Log in again: postern login SERVER'],
    [damaged, 'login notes --from cursor', 'Log in again: postern login SERVER'],
    [damaged, 'call -- npx a-server', 'Log in again: postern login SERVER'],
    [damaged, `token ${server}?key=secret`, 'Log in again: postern login SERVER'],
    [damaged, 'token https://me:pw@a.example/mcp', 'Log in again: postern login SERVER'],
    [files, typed, `Use files (${again} --store file).`],
    [files, 'call work', 'Use files (postern login work --store file).'],
    [offered, 'call work nope', 'See: postern call work'],
  ] as const) {
    assert.equal(await remedyOf(failure, line), remedy, line);
  }
});

test('a failure that a server has caused names the command that finds out why, unless it leads on itself', async () => {
  const broken = failureWith({ code: 'resource_mismatch', exit: 5 });
  const late = failureWith({ code: 'token_unusable', exit: 5 });
  assert.equal(
    await remedyOf(broken, `login ${server}?x=1&y`),
    `Do. To find out why: postern doctor '${server}?x=1&y'`,
  );
  assert.equal(await remedyOf(broken, 'call work'), 'Do. To find out why: postern doctor work');
  assert.equal(await remedyOf(late, 'call work'), 'Do. To find out why: postern doctor work --login');
  assert.equal(await remedyOf(broken, 'token work'), 'Do.', 'this command asks no server');
  assert.equal(await remedyOf(failureWith({ code: 'usage_wrong', exit: 2 }), 'call work'), 'Do.');
  assert.equal(await remedyOf(failureWith({ code: 'x', exit: 5, leads: true }), 'call work'), 'Do.');
});

test('a job learns what it can do without a user, and whether the command that failed can log in as a client', async () => {
  const needed = failureWith({ code: 'login_needed', exit: 3, remedy: runLogin({ server }) });
  const plain = `Run: postern login ${server}`;
  const ways = `or run: postern login ${server} --client-credentials. See: postern help machines`;
  const client = { POSTERN_CLIENT_ID: 'ci' };
  for (const [line, env, remedy] of [
    [`call ${server}`, {}, plain],
    [`call ${server}`, client, `Without a user, set POSTERN_TOKEN, add --client-credentials, ${ways}`],
    [`call ${server} --client-credentials`, client, plain],
    [`status ${server}`, client, plain],
    [`call ${server}`, { CI: 'true' }, `Without a user, set POSTERN_TOKEN, add --client-credentials, ${ways}`],
    [`login ${server}`, { CI: 'true' }, `Without a user, set POSTERN_TOKEN, ${ways}`],
    [`call ${server}`, { CI: 'false' }, plain],
  ] as const) {
    assert.equal(await remedyOf(needed, line, { env }), remedy, line);
  }
  const other = { POSTERN_TOKEN: 'x', POSTERN_TOKEN_SERVER: 'https://b.example/mcp' };
  assert.match(
    await remedyOf(needed, `token ${server}`, { env: other }),
    /^POSTERN_TOKEN was not sent: it is for .* Run:/,
  );
});

test('a mistyped word is answered with the whole line as it was meant, unless that holds what may be a secret', async () => {
  const tool = { typed: 'ech', meant: 'echo' };
  for (const [line, typo, command] of [
    ['call work ech', tool, '"echo" postern call work echo'],
    ['call work ech text=hi', tool, '"echo"'],
    ['call work ech n:=5 plain', tool, '"echo"'],
    ['call https://a.example/mcp ech plain', tool, '"echo" postern call https://a.example/mcp echo plain'],
    ['call https://a.example/mcp?key=1 ech', tool, '"echo"'],
    ['call work ech --output json -v', tool, '"echo" postern call work echo --output json -v'],
    ['call work ech --account me', tool, '"echo"'],
    ['call work ech --authorization-server https://as.example/?key=1', tool, '"echo"'],
    ['call work ech --account=me', tool, '"echo"'],
    ['call work echo txet=hi', { typed: 'txet', meant: 'text' }, '"text"'],
    [
      'call work a color=gren',
      { typed: 'color', meant: 'color=green' },
      '"color=green" postern call work a color=green',
    ],
    ['call work echo --output jsn', { typed: 'jsn', meant: 'json' }, '"json" postern call work echo --output json'],
    ['call work echo --acount me', { typed: '--acount', meant: '--account' }, '"--account"'],
    ['call work e --quite', { typed: '--quite', meant: '--quiet' }, '"--quiet" postern call work e --quiet'],
    ['call work ech', { typed: 'ech', meant: 'my echo' }, '"my echo" postern call work \'my echo\''],
  ] as const) {
    const remedy = await remedyOf(failureWith({ typo }), line);
    assert.equal(remedy.replace(/^Did you mean (".*?")\?(?: Run:)?/, '$1'), command);
  }
  assert.equal(await remedyOf(failureWith({ typo: tool }), 'call ech ech'), 'Do.', 'it is not clear which');
  assert.equal(await remedyOf(failureWith({ typo: tool }), 'call work'), 'Do.');
  assert.equal(await remedyOf(failureWith({ typo: { typed: 'ech', meant: 'ech\u001b[2J' } }), 'call work ech'), 'Do.');
});

const lineNeeding = (name: string, machine: Machine = {}) => ways(wordMissing('It needs a word.', name), name, machine);

test('a word that is missing is answered with a line that works, with the logins there are, and the servers that programs know', async () => {
  const logins = [loginRecord({ name: 'notes', account: 'default' })];
  assert.deepEqual(await lineNeeding('login', { programs: ['Cursor'] }), [
    'For example: postern login https://example.com/mcp --name work',
    'Cursor knows 2 servers: postern login --from cursor',
    'More: postern login --help',
  ]);
  assert.deepEqual(await lineNeeding('token'), [
    'No logins yet. Make one with: postern login https://example.com/mcp --name work',
    'Then: postern token work',
    'More: postern token --help',
  ]);
  assert.deepEqual(await lineNeeding('call', { logins }), [
    'For example: postern call notes',
    'Your logins: notes',
    'More: postern call --help',
  ]);
  const many = Array.from({ length: 7 }, (_, at) => loginRecord({ name: `n${at}` }));
  assert.equal((await lineNeeding('bridge', { logins: many }))[1], 'Your logins: n0, n1, n2, n3, n4 and 2 more');
  const own = wordMissing('It needs a server.', 'credential', 'postern credential headers work');
  assert.equal((await ways(own, 'credential headers', { logins }))[0], 'For example: postern credential headers notes');
});

test('every command that needs a word has an example for it, and shows five lines at most', async () => {
  const work = loginRecord({ name: 'notes', account: 'default' });
  for (const { name } of tables.filter((table) => table.positionals[0]?.required === true)) {
    for (const logins of [[], [work]]) {
      const lines = await lineNeeding(name, { logins });
      assert.ok(lines.length <= 5, name);
      assert.match(lines.join('\n'), new RegExp(`: postern ${name} |postern login`), name);
      assert.equal(lines.at(-1), `More: postern ${name} --help`);
      if (logins.length > 0) assert.doesNotMatch(lines.join('\n'), /(?<= )work$/m, name);
    }
  }
});

test('each way on stands on a line of its own; a line for a program has the first alone', () => {
  const both = ['For example: postern call notes', 'More: postern call --help'];
  const report = { ways: both, json: false, verbose: false, steps: [], oneLine: false };
  const { lines } = reportFailure(failureWith({}), report);
  assert.deepEqual(
    lines.slice(1, 3).map((line) => line.trim()),
    both,
  );
  for (const line of lines) for (const one of laidOut(line, { width: 40, color: false })) assert.ok(one.length <= 40);
  const [json = ''] = reportFailure(failureWith({}), { ...report, json: true }).lines;
  assert.equal(JSON.parse(json).error.remedy, both.join('; '));
  assert.match(
    reportFailure(failureWith({}), { ...report, oneLine: true }).lines.join('\n'),
    /: postern call notes \[/,
  );
});
