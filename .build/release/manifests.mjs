// node .build/release/manifests.mjs PARTS FOLDER DATE
//
// PARTS holds what the jobs have made, in a folder for each. The files of a release go to FOLDER; beside them come SHA256SUMS,
// the formula of Homebrew, the manifests of scoop and winget, all with the addresses and digests of these very files.
import { createHash } from 'node:crypto';
import { constants, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageOf, repositoryUrl } from './repository.mjs';

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {string} description
 * @property {string} license
 * @property {string} repository Web address of the repository.
 * @property {Readonly<Record<string, string>>} digests SHA-256 in hex of each file of the release, by its name.
 */

const digestOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The names of a release's files. */
export const fileNames = {
  npm: (version) => `postern-${version}.tgz`,
  archive: (version, system, arch) => `postern-${version}-${system}-${arch}.${system === 'windows' ? 'zip' : 'tar.gz'}`,
  deb: (version, arch) => `postern_${debianVersion(version)}_${arch}.deb`,
};

/**
 * Copies the files of a release: each from what the job that makes it has left, so that no other can bring one of its name.
 * @throws where one is missing, or there already
 */
export function gather(parts, folder, version) {
  const archives = ['linux', 'macos', 'windows'].flatMap((system) =>
    ['x64', 'arm64'].map((arch) => [`part-${system}-${arch}`, fileNames.archive(version, system, arch)]),
  );
  mkdirSync(folder, { recursive: true });
  for (const [part, name] of [
    ['part-package/out', fileNames.npm(version)],
    ['part-package/out', `postern-${version}.cdx.json`],
    ...archives,
    ['part-linux-x64', fileNames.deb(version, 'amd64')],
    ['part-linux-arm64', fileNames.deb(version, 'arm64')],
  ]) {
    copyFileSync(join(parts, part, name), join(folder, name), constants.COPYFILE_EXCL);
  }
}

/** A prerelease sorts before its release by a tilde. */
export const debianVersion = (version) => version.replace('-', '~');

const addressOf = ({ repository, version }, file) => `${repository}/releases/download/v${version}/${file}`;

function digest({ digests }, file) {
  const found = digests[file];
  if (found === undefined) throw new Error(`the release has no ${file}`);
  return found;
}

const ruby = (text) => `"${text.replace(/[\\"#]/g, '\\$&')}"`;

/** A formula that installs the npm package beside Homebrew's own Node.js, which gets its security updates there. */
export function homebrewFormula(release) {
  const file = fileNames.npm(release.version);
  return `class Postern < Formula
  desc ${ruby(release.description.replace(/\.$/, ''))}
  homepage ${ruby(release.repository)}
  url ${ruby(addressOf(release, file))}
  sha256 ${ruby(digest(release, file))}
  license ${ruby(release.license)}

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("share/man/man1/*")
    man7.install_symlink libexec.glob("share/man/man7/*")
    generate_completions_from_executable(bin/"postern", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/postern --version")
    assert_match "[login_needed, exit 3]", shell_output("#{bin}/postern token https://example.com/mcp 2>&1", 3)
  end
end
`;
}

const windowsArchitectures = ['x64', 'arm64'];

/** The architectures for which this release has an archive. */
const builtFor = (release) =>
  windowsArchitectures.filter((arch) => fileNames.archive(release.version, 'windows', arch) in release.digests);

/** A manifest for scoop: the single executable, twice, since git looks for its helper by name. */
export function scoopManifest(release) {
  const { version, description, repository, license } = release;
  const file = (arch) => fileNames.archive(version, 'windows', arch);
  const name = { x64: '64bit', arm64: 'arm64' };
  return {
    version,
    description,
    homepage: repository,
    license,
    architecture: Object.fromEntries(
      builtFor(release).map((arch) => [name[arch], { url: addressOf(release, file(arch)), hash: digest(release, file(arch)) }]),
    ),
    bin: ['postern.exe', ['postern.exe', 'git-credential-postern', 'credential git']],
    checkver: { github: repository },
    autoupdate: {
      architecture: Object.fromEntries(
        builtFor(release).map((arch) => [
          name[arch],
          { url: addressOf({ repository, version: '$version' }, fileNames.archive('$version', 'windows', arch)) },
        ]),
      ),
    },
  };
}

const manifestVersion = '1.10.0';
const yaml = (text) => `'${text.replaceAll("'", "''")}'`;

/**
 * The three files that winget wants, by name. @param date Of the release, as 2026-01-31.
 * @param {Release} release
 */
export function wingetManifests(release, date) {
  const { version, description, repository, license } = release;
  const owner = new URL(repository).pathname.split('/')[1];
  const id = `${owner}.postern`;
  const head = [`PackageIdentifier: ${yaml(id)}`, `PackageVersion: ${yaml(version)}`];
  const tail = (type) => [`ManifestType: ${type}`, `ManifestVersion: ${manifestVersion}`, ''];
  const schema = (type) => `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${manifestVersion}.schema.json`;
  const installers = builtFor(release).flatMap((arch) => {
    const file = fileNames.archive(version, 'windows', arch);
    return [
      `  - Architecture: ${arch}`,
      `    InstallerUrl: ${yaml(addressOf(release, file))}`,
      `    InstallerSha256: ${yaml(digest(release, file).toUpperCase())}`,
    ];
  });
  const files = {
    [`${id}.yaml`]: [schema('version'), ...head, 'DefaultLocale: en-US', ...tail('version')],
    [`${id}.installer.yaml`]: [
      schema('installer'),
      ...head,
      'InstallerType: zip',
      'NestedInstallerType: portable',
      'NestedInstallerFiles:',
      '  - RelativeFilePath: postern.exe',
      '    PortableCommandAlias: postern',
      'Commands:',
      '  - postern',
      `ReleaseDate: ${date}`,
      'Installers:',
      ...installers,
      ...tail('installer'),
    ],
    [`${id}.locale.en-US.yaml`]: [
      schema('defaultLocale'),
      ...head,
      'PackageLocale: en-US',
      `Publisher: ${yaml(owner)}`,
      `PublisherUrl: ${yaml(new URL(`/${owner}`, repository).href)}`,
      `PublisherSupportUrl: ${yaml(`${repository}/issues`)}`,
      'PackageName: postern',
      'Moniker: postern',
      `PackageUrl: ${yaml(repository)}`,
      `License: ${yaml(license)}`,
      `ShortDescription: ${yaml(description)}`,
      `ReleaseNotesUrl: ${yaml(`${repository}/releases/tag/v${version}`)}`,
      ...tail('defaultLocale'),
    ],
  };
  return Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, lines.join('\n')]));
}

function describe(parts, folder, date) {
  if (!/^\d{4}-\d\d-\d\d$/.test(date ?? '')) throw new Error('node .build/release/manifests.mjs PARTS FOLDER YYYY-MM-DD');
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const repository = repositoryUrl(process.env, root);
  if (repository === undefined) throw new Error('nobody knows where this release will be: there is no git remote');
  const { version, description, license } = packageOf(root);
  gather(parts, folder, version);
  const names = readdirSync(folder).filter((name) => /\.(?:tgz|tar\.gz|zip|deb|json)$/.test(name)).sort();
  const digests = Object.fromEntries(names.map((name) => [name, digestOf(join(folder, name))]));
  const release = { version, description, license, repository, digests };
  const winget = join(folder, 'winget');
  mkdirSync(winget, { recursive: true });
  for (const [name, text] of Object.entries(wingetManifests(release, date))) writeFileSync(join(winget, name), text);
  writeFileSync(join(folder, 'postern.rb'), homebrewFormula(release));
  writeFileSync(join(folder, 'postern.json'), `${JSON.stringify(scoopManifest(release), undefined, 2)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), names.map((name) => `${digests[name]}  ${name}\n`).join(''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) describe(...process.argv.slice(2));
