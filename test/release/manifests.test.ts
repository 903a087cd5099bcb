import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { repositoryRoot } from '../support/repository.js';
import { temporaryFolder } from '../support/temporary.js';

const script = (name: string) => import(pathToFileURL(join(repositoryRoot, '.build', 'release', name)).href);

const repository = 'https://code.example/someone/postern';
const digest = (letter: string) => letter.repeat(64);
const release = {
  version: '1.2.3',
  description: 'Says "#{this}" and \\ that.',
  license: 'MIT',
  repository,
  digests: {
    'postern-1.2.3.tgz': digest('a'),
    'postern-1.2.3-windows-x64.zip': digest('b'),
    'postern-1.2.3-windows-arm64.zip': digest('c'),
  },
};
const address = (file: string) => `${repository}/releases/download/v1.2.3/${file}`;

test('the formula of Homebrew has the address and the digest of this release, and no text becomes code of it', async () => {
  const { homebrewFormula } = await script('manifests.mjs');
  const text: string = homebrewFormula(release);
  assert.ok(text.includes(`  url "${address('postern-1.2.3.tgz')}"\n  sha256 "${digest('a')}"\n`), text);
  assert.ok(text.includes('  desc "Says \\"\\#{this}\\" and \\\\ that"\n'), text);
  const opened = text.match(/^\s*(?:class|def|test do)\b/gm)?.length;
  assert.equal(text.match(/^\s*end$/gm)?.length, opened);
  assert.throws(() => homebrewFormula({ ...release, digests: {} }), /the release has no postern-1\.2\.3\.tgz/);
});

test('the manifest of scoop has both architectures, and git’s helper', async () => {
  const { scoopManifest } = await script('manifests.mjs');
  const { architecture, bin, autoupdate, homepage } = scoopManifest(release);
  assert.deepEqual(architecture, {
    '64bit': { url: address('postern-1.2.3-windows-x64.zip'), hash: digest('b') },
    arm64: { url: address('postern-1.2.3-windows-arm64.zip'), hash: digest('c') },
  });
  assert.deepEqual(bin, ['postern.exe', ['postern.exe', 'git-credential-postern', 'credential git']]);
  assert.equal(
    autoupdate.architecture['64bit'].url,
    `${repository}/releases/download/v$version/postern-$version-windows-x64.zip`,
  );
  assert.equal(homepage, repository);
  const { 'postern-1.2.3-windows-arm64.zip': _, ...digests } = release.digests;
  assert.deepEqual(Object.keys(scoopManifest({ ...release, digests }).architecture), ['64bit']);
});

test('the manifests of winget are three files that name one package and one version', async () => {
  const { wingetManifests } = await script('manifests.mjs');
  const files: Record<string, string> = wingetManifests(release, '2026-01-31');
  const id = 'someone.postern';
  assert.deepEqual(Object.keys(files), [`${id}.yaml`, `${id}.installer.yaml`, `${id}.locale.en-US.yaml`]);
  const [version, installer, locale] = Object.values(files).map((text) => parse(text));
  for (const one of [version, installer, locale]) {
    assert.deepEqual([one.PackageIdentifier, one.PackageVersion, one.ManifestVersion], [id, '1.2.3', '1.10.0']);
  }
  assert.deepEqual(
    [version.ManifestType, installer.ManifestType, locale.ManifestType],
    ['version', 'installer', 'defaultLocale'],
  );
  assert.deepEqual(installer.Installers, [
    { Architecture: 'x64', InstallerUrl: address('postern-1.2.3-windows-x64.zip'), InstallerSha256: digest('B') },
    { Architecture: 'arm64', InstallerUrl: address('postern-1.2.3-windows-arm64.zip'), InstallerSha256: digest('C') },
  ]);
  assert.deepEqual(installer.NestedInstallerFiles, [
    { RelativeFilePath: 'postern.exe', PortableCommandAlias: 'postern' },
  ]);
  assert.equal(locale.ShortDescription, release.description);
});

test('a release goes by its tag, its version and a section of the changelog, all of which say the same', async () => {
  const { notesFor } = await script('changelog.mjs');
  const text = '# Changelog\n\n## 1.2.3 (2026-01-31)\n\n- One.\n\n## 1.2.2\n\n- Two.\n';
  assert.equal(notesFor('v1.2.3', '1.2.3', text), '- One.');
  assert.equal(notesFor('v1.2.2', '1.2.2', text), '- Two.');
  assert.throws(() => notesFor('v1.2.3', '1.2.2', text), /the tag v1\.2\.3 is not v1\.2\.2/);
  assert.throws(() => notesFor('v1.2', '1.2', text), /says nothing of 1\.2$/);
  const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  const own = await readFile(join(repositoryRoot, '.github', 'CHANGELOG.md'), 'utf8');
  assert.ok(notesFor(`v${version}`, version, own).length > 0);
});

test('the list of what the program is made of has what is inside of it, and nothing that only builds it', async () => {
  const { shippedOf } = await script('sbom.mjs');
  const component = (name: string, version: string) => ({ 'bom-ref': `${name}@${version}`, name, version });
  const all = [component('yargs', '1.0.0'), component('typescript', '1.0.0'), component('keytar', '2.0.0')];
  const sbom = {
    metadata: { component: { 'bom-ref': 'postern@1.2.3' } },
    components: all,
    dependencies: [
      { ref: 'postern@1.2.3', dependsOn: ['yargs@1.0.0', 'typescript@1.0.0'] },
      { ref: 'typescript@1.0.0' },
    ],
  };
  const shipped = shippedOf(sbom, [{ name: 'yargs', version: '1.0.0' }]);
  assert.deepEqual(
    shipped.components.map(({ name }: { name: string }) => name),
    ['yargs', 'keytar'],
  );
  assert.deepEqual(shipped.dependencies, [{ ref: 'postern@1.2.3', dependsOn: ['yargs@1.0.0'] }]);
  assert.throws(() => shippedOf(sbom, [{ name: 'yargs', version: '2.0.0' }]), /npm does not list yargs@2\.0\.0/);
});

test('a prerelease sorts before its release in Debian, and a package says nothing that nobody knows', async () => {
  const { debianVersion } = await script('manifests.mjs');
  const { controlText } = await script('deb.mjs');
  assert.deepEqual(['1.0.0', '1.0.0-rc.1'].map(debianVersion), ['1.0.0', '1.0.0~rc.1']);
  const about = { version: '1.2.3', description: 'Does.', arch: 'amd64', maintainer: 'A <a@b.example>', kibibytes: 9 };
  assert.doesNotMatch(controlText(about), /Homepage|undefined/);
  assert.match(controlText({ ...about, repository }), new RegExp(`^Homepage: ${repository}$`, 'm'));
});

test('actions are pinned by digest, and no job that may publish runs code of packages', async () => {
  const folder = join(repositoryRoot, '.github', 'workflows');
  for (const name of await readdir(folder)) {
    const workflow = parse(await readFile(join(folder, name), 'utf8'));
    assert.deepEqual(workflow.permissions, {}, name);
    for (const [job, { permissions = {}, steps = [], uses = './' }] of Object.entries<Job>(workflow.jobs)) {
      assert.match(uses, /^\.\//, `${name}: ${job}`);
      for (const step of steps)
        if (step.uses !== undefined) assert.match(step.uses, /@[0-9a-f]{40}$/, `${name}: ${job}`);
      const mayWrite = Object.values(permissions).includes('write');
      const runs = steps.map(({ run = '' }) => run).join('\n');
      if (mayWrite) assert.doesNotMatch(runs, /npm (?:ci|install|run|pack)|node /, `${name}: ${job}`);
      if (mayWrite && runs.includes('npm publish')) assert.match(runs, /npm publish .*--ignore-scripts/);
      assert.doesNotMatch(runs, /\$\{\{/, `${name}: ${job}: what others may have written is given by the environment`);
    }
  }
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
  readonly uses?: string;
}

test('each file of a release comes from the job that makes it: another’s of that name is not looked at, a missing one ends it', async () => {
  const { gather } = await script('manifests.mjs');
  await using folder = await temporaryFolder();
  const [parts, into] = [join(folder.path, 'parts'), join(folder.path, 'release')];
  const put = async (part: string, name: string) => {
    await mkdir(join(parts, part), { recursive: true });
    await writeFile(join(parts, part, name), part);
  };
  const own = ['postern-1.2.3-rc.1.tgz', 'postern-1.2.3-rc.1.cdx.json'];
  for (const name of own) await put('part-package/out', name);
  for (const arch of ['x64', 'arm64']) {
    for (const system of ['linux', 'macos'])
      await put(`part-${system}-${arch}`, `postern-1.2.3-rc.1-${system}-${arch}.tar.gz`);
    await put(`part-windows-${arch}`, `postern-1.2.3-rc.1-windows-${arch}.zip`);
  }
  await put('part-linux-x64', 'postern_1.2.3~rc.1_amd64.deb');
  for (const part of ['part-linux-x64', 'part-macos-arm64', 'part-other']) {
    for (const name of [...own, 'postern-1.2.3-rc.1-windows-x64.zip', 'postern.json', 'more.tgz'])
      await put(part, name);
  }
  assert.throws(() => gather(parts, into, '1.2.3-rc.1'), { code: 'ENOENT', path: /part-linux-arm64.*arm64\.deb$/ });
  await put('part-linux-arm64', 'postern_1.2.3~rc.1_arm64.deb');
  assert.throws(() => gather(parts, into, '1.2.3-rc.1'), { code: 'EEXIST' }, 'what is there already is not replaced');
  const again = join(folder.path, 'again');
  gather(parts, again, '1.2.3-rc.1');
  const names = await readdir(again);
  assert.equal(names.length, 10, names.join(' '));
  for (const name of own) assert.equal(await readFile(join(again, name), 'utf8'), 'part-package/out', name);
  assert.equal(await readFile(join(again, 'postern-1.2.3-rc.1-windows-x64.zip'), 'utf8'), 'part-windows-x64');
  const workflow = await readFile(join(repositoryRoot, '.github', 'workflows', 'release.yml'), 'utf8');
  assert.match(workflow, /node \.build\/release\/manifests\.mjs parts release /);
  assert.doesNotMatch(workflow, /\b(?:find|cp) [^\n]*release\//);
});
