// node .build/release/changelog.mjs TAG     checks that TAG is this release, prints what the changelog says of it
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageOf } from './repository.mjs';

/** What stands below `## <version>` in a changelog, up to the next version. Undefined where there is nothing. */
export function changesOf(text, version) {
  const lines = text.split('\n');
  const headings = lines.flatMap((line, at) => (line.startsWith('## ') ? [at] : []));
  const begin = headings.find((at) => lines[at].split(/\s+/)[1] === version);
  if (begin === undefined) return undefined;
  const end = headings.find((at) => at > begin) ?? lines.length;
  return lines.slice(begin + 1, end).join('\n').trim() || undefined;
}

/** What the release of that tag changes. @throws Error where tag, package.json and changelog do not go together */
export function notesFor(tag, version, changelog) {
  if (tag !== `v${version}`) throw new Error(`the tag ${tag} is not v${version}, the version in package.json`);
  const changes = changesOf(changelog, version);
  if (changes === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return changes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const changelog = readFileSync(join(root, '.github', 'CHANGELOG.md'), 'utf8');
  console.log(notesFor(process.argv[2], packageOf(root).version, changelog));
}
