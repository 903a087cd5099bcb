// node .build/release/package-json.mjs prepare    makes package.json what is packed; `npm pack` runs it by itself
// node .build/release/package-json.mjs restore    puts the repository's own back, as `npm pack` does in the end
//
// The repository's package.json names the packages that the program is made of. All but the keychain's are inside of the
// bundles, and would be installed twice.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addresses, repositoryUrl } from './repository.mjs';

/**
 * What is packed: without what only builds and tests need, with the address of the repository where that is known.
 * @param bundled Names of the packages that are inside of the bundles.
 */
export function packedPackage(own, { bundled, repository }) {
  const { scripts: _scripts, devDependencies: _tools, dependencies, ...rest } = own;
  const installed = Object.entries(dependencies).filter(([name]) => !bundled.includes(name));
  return { ...rest, ...addresses(repository), dependencies: Object.fromEntries(installed) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const file = join(root, 'package.json');
  const kept = join(root, 'build', 'package.json');
  if (process.argv[2] === 'restore') {
    if (existsSync(kept)) renameSync(kept, file);
  } else {
    const text = readFileSync(file, 'utf8');
    const own = JSON.parse(text);
    if (own.scripts === undefined) throw new Error('package.json is prepared already: restore it first');
    const bundled = JSON.parse(readFileSync(join(root, 'build', 'bundled.json'), 'utf8')).map(({ name }) => name);
    writeFileSync(kept, text);
    const packed = packedPackage(own, { bundled, repository: repositoryUrl(process.env, root) });
    writeFileSync(file, `${JSON.stringify(packed, undefined, 2)}\n`);
  }
}
