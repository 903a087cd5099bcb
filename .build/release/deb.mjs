// node .build/release/deb.mjs EXECUTABLE ARCH OUT-FOLDER [COMPRESSION]
//
// A Debian package of a single executable: it, its pages of the manual, completion for three shells, git's helper. Same
// input, same bytes: times are those of the last commit. The maintainer is who made that commit.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { debianVersion, fileNames } from './manifests.mjs';
import { licensesInside } from './licenses.mjs';
import { packageOf, repositoryUrl } from './repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the executable of Node.js is linked with, and the first versions of Debian's packages that will do. */
const libraries = ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 8)'];

/** The text of `DEBIAN/control`. @param kibibytes What all files take. */
export function controlText({ version, description, repository, arch, maintainer, kibibytes }) {
  return [
    'Package: postern',
    `Version: ${debianVersion(version)}`,
    `Architecture: ${arch}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${libraries.join(', ')}`,
    'Recommends: gnome-keyring | kwalletmanager | keepassxc, xdg-utils',
    'Section: net',
    'Priority: optional',
    ...(repository === undefined ? [] : [`Homepage: ${repository}`]),
    `Description: ${description.replace(/\.$/, '')}`,
    ' Tokens lie in the keychain, are refreshed by themselves, and go to that server',
    ' alone. Other programs use a login through a bridge, a proxy or a credential',
    ' helper, without a token in their files.',
    '',
  ].join('\n');
}

/** Makes the package in the folder `out`. Returns its path. */
export function makeDeb({ executable, arch, out, compression = 'xz', env = process.env }) {
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const { version, description } = packageOf(root);
  const epoch = Number(env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));
  const stage = mkdtempSync(join(tmpdir(), 'postern-deb-'));
  const sizes = [];
  const put = (path, content, mode = 0o644) => {
    const file = join(stage, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === 'function') content(file);
    else writeFileSync(file, content);
    chmodSync(file, mode);
    sizes.push(Math.ceil(statSync(file).size / 1024));
  };
  try {
    const run = (...words) => execFileSync(executable, words, { encoding: 'utf8', env: { PATH: env.PATH, HOME: stage } });
    put('usr/bin/postern', (file) => copyFileSync(executable, file), 0o755);
    put('usr/bin/git-credential-postern', '#!/bin/sh\nexec /usr/bin/postern credential git "$@"\n', 0o755);
    put('usr/share/bash-completion/completions/postern', run('completion', 'bash'));
    put('usr/share/zsh/vendor-completions/_postern', run('completion', 'zsh'));
    put('usr/share/fish/vendor_completions.d/postern.fish', run('completion', 'fish'));
    const pages = join(root, 'dist', 'man');
    for (const page of readdirSync(pages)) {
      put(`usr/share/man/man${page.at(-1)}/${page}.gz`, gzipSync(readFileSync(join(pages, page)), { level: 9 }));
    }
    put('usr/share/doc/postern/copyright', copyright(env));
    put('usr/share/doc/postern/NEWS.gz', gzipSync(readFileSync(join(root, '.github', 'CHANGELOG.md')), { level: 9 }));
    const maintainer = git('log', '-1', '--format=%an <%ae>');
    const about = { version, description, arch, maintainer, repository: repositoryUrl(env, root) };
    put('DEBIAN/control', controlText({ ...about, kibibytes: sizes.reduce((sum, size) => sum + size, 0) }));
    for (const name of ['', ...readdirSync(stage, { recursive: true })]) {
      if (statSync(join(stage, name)).isDirectory()) chmodSync(join(stage, name), 0o755);
      utimesSync(join(stage, name), epoch, epoch);
    }
    const file = join(out, fileNames.deb(version, arch));
    execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', stage, file], {
      env: { ...env, SOURCE_DATE_EPOCH: String(epoch) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** The licence of this program, and those of all that is in the executable. */
function copyright(env) {
  const repository = repositoryUrl(env, root);
  return `${repository === undefined ? '' : `Source: ${repository}\n\n`}${readFileSync(join(root, 'LICENSE'), 'utf8')}\n${licensesInside()}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [executable, arch, out, compression] = process.argv.slice(2);
  console.log(makeDeb({ executable, arch, out, compression }));
}
