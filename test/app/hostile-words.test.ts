import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCanaries } from '../support/canary.js';
import { makeHome } from '../support/home.js';
import { runProgram } from '../support/program.js';

test('[A-267] names that a shell, a path or a terminal could take for something else are refused, and nothing is asked', async () => {
  await using home = await makeHome();
  await using canaries = await startCanaries();
  const server = `http://127.0.0.1:${canaries.ports['127.0.0.1']}/mcp`;
  const names = ['../../.ssh/x', 'CON', '-rf', 'a b', 'a\nb', 'x'.repeat(10_000), '😀', 'a\u202eb', '.hidden', 'A'];
  for (const name of names) {
    const { code, stdout, stderr } = await runProgram(home, ['login', server, '--no-browser', `--name=${name}`]);
    assert.deepEqual([code, stdout], [2, ''], JSON.stringify(name.slice(0, 20)));
    assert.ok(!stderr.includes('\u202e') && stderr.length < 2_000, stderr.slice(0, 200));
  }
  assert.deepEqual(canaries.visits, []);
});

test('[A-269] a pasted address runs nothing and is refused where it is none; no option names a program; -- is understood', async () => {
  await using home = await makeHome();
  const mark = join(home.path, 'mark');
  const servers = [
    `https://evil$(touch ${mark})/`,
    `https://evil\`touch ${mark}\`/`,
    `https://a.example/;touch ${mark}`,
    `javascript:touch`,
    'file:///etc/passwd',
    'https://user:pass@a.example/mcp',
    'https://a.example/mcp#x',
  ];
  for (const server of servers) {
    const { code } = await runProgram(home, ['login', server, '--no-browser', '--non-interactive']);
    assert.ok(code === 2 || code === 3 || code === 6, `${server}: ${code}`);
  }
  for (const option of ['--browser=sh -c id', '--hook=x', '--exec=id']) {
    const { code, stderr } = await runProgram(home, ['login', 'https://a.example/mcp', option]);
    assert.equal(code, 2, option);
    assert.match(stderr, /usage_wrong/);
  }
  const dashed = await runProgram(home, ['token', '--', '-rf']);
  assert.equal(dashed.code, 3, dashed.stderr);
  assert.match(dashed.stderr, /-rf/);
  assert.ok(!(await readdir(home.path)).includes('mark'));
});

test('[A-264] nothing that lies in the working folder or above it is read: server, proxy, CA, store, hook, variables', async () => {
  await using home = await makeHome();
  const hostile = {
    caFile: '/nowhere/ca.pem',
    store: 'plain',
    clientMetadataUrl: 'javascript:x',
    redirectPort: 1,
    proxy: 'http://evil.example',
  };
  const names = ['config.json', 'postern.json', '.postern.json', '.posternrc', '.npmrc', 'package.json'];
  for (const name of names) await writeFile(join(home.path, name), JSON.stringify({ ...hostile, postern: hostile }));
  await writeFile(
    join(home.path, '.env'),
    'POSTERN_STORE=plain\nHTTPS_PROXY=http://evil.example\nNODE_OPTIONS=--bad\n',
  );
  const { code, stdout, stderr } = await runProgram(home, ['config', '--json']);
  assert.equal(code, 0, stderr);
  const { exists, settings, clients, clientCertificates } = JSON.parse(stdout);
  assert.deepEqual([exists, clients, clientCertificates], [false, [], []]);
  assert.ok(settings.every(({ by }: { by: string }) => by === 'default'));
});
