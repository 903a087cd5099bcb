import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../support/repository.js';

const script = (name: string) => import(pathToFileURL(join(repositoryRoot, '.build', 'release', name)).href);

test('the address of the repository is that of the workflow or of the git remote, without what may be secret in it', async () => {
  const { repositoryUrl, webAddress } = await script('repository.mjs');
  const inWorkflow = { GITHUB_SERVER_URL: 'https://code.example', GITHUB_REPOSITORY: 'someone/postern' };
  assert.equal(repositoryUrl(inWorkflow, '/'), 'https://code.example/someone/postern');
  for (const remote of [
    'https://code.example/someone/postern.git',
    'https://user:a-secret@code.example/someone/postern',
    'git@code.example:someone/postern.git',
    'ssh://git@code.example:22/someone/postern/',
    'git+https://code.example/someone/postern.git',
  ]) {
    assert.equal(webAddress(remote), 'https://code.example/someone/postern', remote);
  }
});

test('where there is no address, none is made up', async () => {
  const { addresses, repositoryUrl, webAddress } = await script('repository.mjs');
  const none = [
    '',
    '/srv/git/postern.git',
    '../postern',
    'file:///srv/postern',
    'C:\\git\\postern',
    'https://code.example',
  ];
  const odd = [
    'https://localhost/a/b',
    'javascript:a.b/c/d',
    'https://code.example/a/b?c',
    'https://code.example/a/$(id)',
  ];
  for (const remote of [...none, ...odd.filter((one) => !one.includes('?'))])
    assert.equal(webAddress(remote), undefined, remote);
  assert.equal(repositoryUrl({}, '/'), undefined);
  assert.deepEqual(addresses(undefined), {});
});

test('what is packed says where it comes from, and is installed without the packages that are inside of it', async () => {
  const { packedPackage } = await script('package-json.mjs');
  const own = {
    name: 'postern',
    version: '1.2.3',
    scripts: { prepack: 'x' },
    dependencies: { yargs: '1.0.0', keytar: 'npm:@napi-rs/keyring@1.0.0' },
    devDependencies: { typescript: '1.0.0' },
  };
  const repository = 'https://code.example/someone/postern';
  assert.deepEqual(packedPackage(own, { bundled: ['yargs'], repository }), {
    name: 'postern',
    version: '1.2.3',
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git` },
    dependencies: { keytar: 'npm:@napi-rs/keyring@1.0.0' },
  });
  const packed = packedPackage(own, { bundled: ['yargs'], repository: undefined });
  assert.deepEqual(Object.keys(packed), ['name', 'version', 'dependencies']);
});
