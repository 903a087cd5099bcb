import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * The packages of which files are in the bundles, in order of their names: name, version, license, and the folder where
 * each is installed.
 * @param root The folder of the repository. @param made What esbuild says of each bundle.
 */
export function bundledPackages(root, made) {
  const files = made.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));
  const folders = new Set(files.flatMap((file) => folderOf(relative(root, join(process.cwd(), file.replace(/^[\w-]+:(?=\/)/, ''))))));
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      return { name, version, license, folder };
    })
    .sort((one, other) => (one.name === other.name ? one.version.localeCompare(other.version) : one.name < other.name ? -1 : 1));
}

/** `node_modules/a/node_modules/@b/c`, of a file somewhere in it; none of a file of ours. */
function folderOf(file) {
  const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
  return folder === undefined ? [] : [folder];
}

/** The licences of all of them, as each package has them. @throws Error where one has none */
export function licensesOf(packages) {
  const head = 'postern is shipped with these packages inside of its files. Each is under its own licence.\n';
  return [head, ...packages.map(noticeOf)].join(`\n${'-'.repeat(80)}\n\n`);
}

function noticeOf({ name, version, license, folder }) {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const inReadme = join(folder, 'README.md');
  if (texts.length === 0 && existsSync(inReadme)) texts.push(licenseIn(readFileSync(inReadme, 'utf8')));
  if (texts.join('') === '' && typeof license !== 'string') throw new Error(`${name} is bundled, and says nothing of its licence`);
  return [`${name} ${version} (${license})`, ...texts].filter((text) => text !== '').join('\n\n').concat('\n');
}

/** The section of a README that has the licence. */
function licenseIn(text) {
  return /^#+\s*licen[cs]e\b[^]*?(?=^#|(?![^]))/im.exec(text)?.[0].trim() ?? '';
}
