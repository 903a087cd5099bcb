import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { createCredentialIndex, readIndexSync } from '../../../src/stores/index/credential-index.js';
import { parseIndex } from '../../../src/stores/index/index-schema.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import type { CredentialIndex } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from '../state/real-clock.js';
import { loginNamed } from './sample-login.js';

const worker = fileURLToPath(new URL('./index-worker.js', import.meta.url));
const empty = { version: 1, logins: [], registrations: [] };

function indexIn(directory: string): CredentialIndex {
  const locks = createLocks({ directory: `${directory}/locks`, clock: realClock });
  return createCredentialIndex({ directory, locks });
}

test('the index begins empty, and holds what was written', async () => {
  await using folder = await temporaryFolder();
  const index = indexIn(`${folder.path}/state`);
  await index.update((document) => ({ ...document, logins: [loginNamed('one')] }));
  await index.update((document) => ({ ...document, logins: [...document.logins, loginNamed('two')] }));
  assert.deepEqual(
    (await index.read()).logins.map(({ name }) => name),
    ['one', 'two'],
  );
  assert.deepEqual(readdirSync(`${folder.path}/state`).sort(), ['locks', 'logins.json']);
});

test('no file yet: an empty index, and nothing is made by reading it', async () => {
  await using folder = await temporaryFolder();
  assert.deepEqual(await indexIn(`${folder.path}/state`).read(), empty);
  assert.deepEqual(readdirSync(folder.path), []);
});

test('[A-196] [A-197] a damaged index, or a newer one, is reported and never overwritten', async () => {
  const good = { ...empty, logins: [loginNamed('one')] };
  const broken = (change: object) => ({ ...empty, logins: [{ ...loginNamed('one'), ...change }] });
  const cases: [text: string, code: string][] = [
    ['', 'index_corrupt'],
    [JSON.stringify(good).slice(0, -5), 'index_corrupt'],
    ['\u0000\u0001', 'index_corrupt'],
    ['{"version":1,"logins":{},"registrations":[]}', 'index_corrupt'],
    ['{"__proto__":{"version":1,"logins":[],"registrations":[]}}', 'index_corrupt'],
    [JSON.stringify(broken({ key: '../../etc/passwd' })), 'index_corrupt'],
    [JSON.stringify(broken({ zone: 'lan' })), 'index_corrupt'],
    [JSON.stringify(broken({ expiresAt: 'soon' })), 'index_corrupt'],
    [JSON.stringify({ ...good, registrations: [{}] }), 'index_corrupt'],
    [JSON.stringify({ ...good, version: 2, logins: 'of another kind' }), 'index_newer'],
  ];
  for (const [text, code] of cases) {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/logins.json`;
    writeFileSync(path, text, { mode: 0o600 });
    const index = indexIn(folder.path);
    await assert.rejects(index.read(), { code, exit: 7 }, text);
    await assert.rejects(
      index.update(() => ({ version: 1, logins: [], registrations: [] })),
      { code },
    );
    assert.equal(readFileSync(path, 'utf8'), text);
  }
});

test('members that are not known are kept', async () => {
  await using folder = await temporaryFolder();
  const login = { ...loginNamed('one'), added: { later: true } };
  writeFileSync(`${folder.path}/logins.json`, JSON.stringify({ ...empty, logins: [login], more: 1 }), { mode: 0o600 });
  const index = indexIn(folder.path);
  await index.update((document) => ({ ...document, logins: [...document.logins, loginNamed('two')] }));
  const text = readFileSync(`${folder.path}/logins.json`, 'utf8');
  assert.deepEqual(JSON.parse(text), { ...empty, logins: [login, loginNamed('two')], more: 1 });
});

test('[A-201] [A-202] an index that others may read or write, or a link, is not used', async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/logins.json`;
  writeFileSync(path, JSON.stringify(empty), { mode: 0o600 });
  chmodSync(path, 0o644);
  await assert.rejects(indexIn(folder.path).read(), { code: 'index_unsafe', exit: 7 });
  chmodSync(path, 0o600);
  assert.deepEqual({ ...(await indexIn(folder.path).read()) }, empty);
  chmodSync(folder.path, 0o777);
  await assert.rejects(indexIn(folder.path).read(), { code: 'index_unsafe' });
  chmodSync(folder.path, 0o700);
  await using other = await temporaryFolder();
  symlinkSync(path, `${other.path}/logins.json`);
  await assert.rejects(indexIn(other.path).read(), { code: 'index_unsafe' });
});

test('a document that could not be read again is not written', async () => {
  await using folder = await temporaryFolder();
  const index = indexIn(folder.path);
  const wrong = { ...loginNamed('one'), key: 'no hash' };
  await assert.rejects(
    index.update((document) => ({ ...document, logins: [wrong] })),
    TypeError,
  );
  assert.deepEqual(readdirSync(folder.path), ['locks']);
});

test('whatever stands in the file, judging it ends in a verdict', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.equal(parseIndex(bytes).ok, false);
    }),
  );
  const value = fc.oneof(fc.json(), fc.constantFrom('1', '[]', '[{}]', '{}'));
  fc.assert(
    fc.property(value, value, value, (version, logins, registrations) => {
      const text = `{"version":${version},"logins":${logins},"registrations":${registrations}}`;
      assert.equal(typeof parseIndex(Buffer.from(text)).ok, 'boolean');
    }),
  );
});

test('[A-136] [A-137] [A-204] processes that write at once, most of them killed while they do: whole, nothing reported is lost', async () => {
  await using folder = await temporaryFolder();
  const reported: string[] = [];
  let kills = 0;
  const run = async (name: string, killAfter: number): Promise<void> => {
    const child = spawn(process.execPath, [worker, folder.path, name, '6'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const whole = readIndexSync(`${folder.path}/logins.json`);
      assert.ok(whole.ok, 'at every moment the file is whole');
      if (text.split('\n').length > killAfter && child.kill('SIGKILL')) kills += 1;
    });
    await once(child, 'close');
    reported.push(...text.split('\n').slice(0, -1));
  };
  const killed = Array.from({ length: 5 }, (_, at) => run(`killed-${at}`, 1 + at));
  await Promise.all([...killed, run('kept-0', 99), run('kept-1', 99)]);
  const { logins } = await indexIn(folder.path).read();
  const keys = new Set(logins.map(({ key }) => key));
  assert.equal(kills, 5);
  assert.equal(keys.size, logins.length);
  assert.ok(reported.length > 12 && reported.every((key) => keys.has(key)));
});

test('nothing is written that would make the list larger than is read', async () => {
  await using folder = await temporaryFolder();
  const index = indexIn(folder.path);
  const many = (count: number) => Array.from({ length: count }, (_, at) => loginNamed(`n${at}`));
  await index.update((document) => ({ ...document, logins: many(10) }));
  const remedy = /postern logout/;
  await assert.rejects(
    index.update((document) => ({ ...document, logins: many(5_000) })),
    { code: 'index_full', exit: 7, remedy },
  );
  assert.equal((await index.read()).logins.length, 10);
});
