import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { parseEngineCredentials, readEngineCredentials } from '../../../src/fleet/engine/address.js';
import { temporaryFolder } from '../../support/temporary.js';

const plain = (text: string) => {
  const found = parseEngineCredentials(text);
  return found && [found.name, found.password.reveal()];
};

it('name and password stand on one line, or on a line each', () => {
  for (const text of ['a:b', 'a:b\n', 'a\nb', 'a\nb\n', 'a\r\nb\r\n']) assert.deepEqual(plain(text), ['a', 'b']);
  assert.deepEqual(plain('a:b:c'), ['a', 'b:c']);
  for (const text of ['', 'a', 'a:', ':b', 'a\n', 'a\nb\nc', '\n', 'a:b\0c'])
    assert.equal(plain(text), undefined, JSON.stringify(text));
});

it('every name and password that is written is read as it is', () => {
  const text = fc.stringMatching(/^[\x21-\x39\x3b-\x7e]{1,60}$/);
  fc.assert(
    fc.property(
      text,
      text,
      fc.constantFrom(':', '\n', '\r\n'),
      fc.constantFrom('', '\n'),
      (name, password, between, end) => {
        assert.deepEqual(plain(`${name}${between}${password}${end}`), [name, password]);
      },
    ),
  );
});

it('a file that others could read is refused, a link to one that they cannot is followed', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'engine');
  await writeFile(file, 'a:secret-of-the-engine', { mode: 0o600 });
  const link = join(folder.path, 'link');
  await symlink(file, link);
  const read = (path: string) => readEngineCredentials({ POSTERN_ENGINE_CREDENTIALS_FILE: path });
  assert.equal(read(link)?.password.reveal(), 'secret-of-the-engine');
  assert.equal(String(read(link)?.password), '***');
  await chmod(file, 0o640);
  assert.throws(() => read(file), {
    code: 'engine_credentials_unusable',
    message: /other users have access to it \(mode 640; chmod 600\)/,
  });
  assert.throws(() => read(join(folder.path, 'none')), { message: /there is no such file/ });
  assert.throws(() => read(folder.path), { message: /it is not a plain file/ });
  assert.throws(() => read('engine'), { code: 'path_refused' });
  await chmod(file, 0o600);
  await writeFile(file, 'no password');
  assert.throws(
    () => read(file),
    (error: Error) => /it holds no NAME:PASSWORD/.test(error.message) && !error.message.includes('no password'),
  );
});

it('systemd’s credential is taken where no file is named, and may be missing', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'credentials'));
  const env = { CREDENTIALS_DIRECTORY: join(folder.path, 'credentials') };
  assert.equal(readEngineCredentials(env), undefined);
  await writeFile(join(env.CREDENTIALS_DIRECTORY, 'postern-engine'), 'a\nb\n', { mode: 0o400 });
  assert.equal(readEngineCredentials(env)?.password.reveal(), 'b');
  assert.equal(readEngineCredentials({}), undefined);
});
