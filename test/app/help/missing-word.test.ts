import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWaysOn } from '../../../src/app/help/missing-word.js';
import { laidOut, reportFailure } from '../../../src/app/print-failure.js';
import { registry } from '../../../src/app/registry.js';
import type { CommandTable } from '../../../src/core/command.js';
import { usageWrong, wordMissing } from '../../../src/core/usage-failures.js';
import { serverNotNamed } from '../../../src/credential/failures.js';
import { loginRecord } from '../../login/status/login-record.js';
import { Failure, type LoginRecord } from '../../support/product.js';

const tables: readonly CommandTable[] = registry.map(({ table }) => table);

const report = { json: false, verbose: false, steps: [], oneLine: false };

async function linesOf(name: string, logins: readonly LoginRecord[], programs: readonly string[] = []) {
  const known = {
    index: { read: async () => ({ logins }) },
    programsWithServers: async () => programs.map((title) => ({ name: title.toLowerCase(), title, count: 2 })),
  };
  const table = tables.find((one) => one.name === name);
  const failure = await withWaysOn(wordMissing(`postern ${name} needs a server.`, name), table, known);
  assert.ok(failure instanceof Failure);
  return [failure.remedy, ...failure.further];
}

test('a word that is missing is answered with a line that works, with the logins there are, and the servers that programs know', async () => {
  const work = loginRecord({ name: 'notes', account: 'default' });
  assert.deepEqual(await linesOf('login', [], ['Cursor']), [
    'For example: postern login https://example.com/mcp --name work',
    'Cursor knows 2 servers: postern login --from cursor',
    'More: postern login --help',
  ]);
  assert.deepEqual(await linesOf('token', []), [
    'No logins yet. Make one with: postern login https://example.com/mcp --name work',
    'Then: postern token work',
    'More: postern token --help',
  ]);
  assert.deepEqual(await linesOf('logout', []), [
    'No logins yet. Make one with: postern login https://example.com/mcp --name work',
    'More: postern logout --help',
  ]);
  assert.deepEqual(await linesOf('call', [work]), [
    'For example: postern call notes',
    'Your logins: notes',
    'More: postern call --help',
  ]);
  const many = Array.from({ length: 7 }, (_, at) => loginRecord({ name: `n${at}` }));
  assert.equal((await linesOf('bridge', many))[1], 'Your logins: n0, n1, n2, n3, n4 and 2 more');
});

test('a line that the failure names itself is shown with a login that there is', async () => {
  const known = {
    index: { read: async () => ({ logins: [loginRecord({ name: 'notes', account: 'default' })] }) },
    programsWithServers: async () => [],
  };
  const table = tables.find(({ name }) => name === 'credential');
  const failure = await withWaysOn(serverNotNamed('headers', 'X'), table, known);
  assert.ok(failure instanceof Failure);
  assert.equal(failure.remedy, 'For example: postern credential headers notes');
});

test('every command that needs a word has an example for it, and shows five lines at most', async () => {
  const work = loginRecord({ name: 'notes', account: 'default' });
  for (const { name, positionals } of tables.filter((table) => table.positionals[0]?.required === true)) {
    for (const logins of [[], [work]]) {
      const lines = await linesOf(name, logins);
      assert.ok(positionals.length > 0 && lines.length <= 5, name);
      assert.ok(
        lines.some((line) => line.includes(`: postern ${name} `) || line.includes('postern login')),
        name,
      );
      assert.equal(lines.at(-1), `More: postern ${name} --help`);
      if (logins.length > 0) assert.doesNotMatch(lines.join('\n'), /(?<= )work$/m, name);
    }
  }
});

test('each way on stands on a line of its own; a line for a program has the first alone', async () => {
  const failure = usageWrong('It is missing.', 'x').withRemedy(
    'For example: postern call notes',
    'More: postern call --help',
  );
  const { lines } = reportFailure(failure, report);
  assert.deepEqual(lines.slice(1, 3), [
    '         For example: postern call notes',
    '         More: postern call --help',
  ]);
  for (const line of lines) for (const one of laidOut(line, { width: 40, color: false })) assert.ok(one.length <= 40);
  const [json = ''] = reportFailure(failure, { ...report, json: true }).lines;
  assert.equal(JSON.parse(json).error.remedy, 'For example: postern call notes; More: postern call --help');
  assert.match(reportFailure(failure, { ...report, oneLine: true }).lines.join('\n'), /: postern call notes \[/);
});
