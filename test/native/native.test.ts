import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { nativePackages } from '../../src/stores/keychain/native.js';
import { needsPackages } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';

const packages = join(repositoryRoot, 'test', 'native', 'node_modules', '@napi-rs');

function missing(): string | false {
  return needsPackages('native');
}

/** How a native library begins, and what it asks the system for. */
const libraries = {
  darwin: { magic: 'cffaedfe', calls: ['SecKeychainFindGenericPassword', 'SecItemDelete'] }, // Mach-O, 64 bits
  linux: { magic: '7f454c46', calls: ['/org/freedesktop/secrets'] },
  win32: { magic: '4d5a9000', calls: ['CredReadW', 'CredWriteW', 'CredDeleteW'] },
} as const;

test('the keychain’s native part for macOS, Windows and other Linux has the name, the release and the functions that are used', {
  skip: missing(),
}, async () => {
  const { dependencies } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const names = await readdir(packages);
  assert.equal(names.length, 5);
  for (const name of names) {
    const { os, cpu, main, version } = JSON.parse(await readFile(join(packages, name, 'package.json'), 'utf8'));
    assert.equal(`npm:@napi-rs/keyring@${version}`, dependencies.keytar, 'the release that is used');
    const platform: keyof typeof libraries = os[0];
    assert.ok(nativePackages(platform, cpu[0]).includes(`@napi-rs/${name}`), name);
    const library = await readFile(join(packages, name, main));
    const { magic, calls } = libraries[platform];
    assert.equal(library.subarray(0, 4).toString('hex'), magic, name);
    const used = ['AsyncEntry', 'getPassword', 'setPassword', 'deleteCredential', 'napi_register_module_v1'];
    for (const text of [...used, ...calls]) assert.ok(library.includes(text), `${name}: ${text}`);
  }
});
