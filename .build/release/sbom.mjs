// node .build/release/sbom.mjs     prints what the program is made of, as CycloneDX
//
// `npm sbom` lists all that is installed here. What is shipped is the packages that are inside of the bundles, those of the
// sandbox among them, and the keychain's, which is installed with the program.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A list of npm's without what is not shipped. @param sbom As `npm sbom` makes it.
 * @param bundled `{ name, version }` of what is inside. @throws Error where npm does not know one of them
 */
export function shippedOf(sbom, bundled) {
  const isNative = ({ name }) => /^(?:keytar$|@napi-rs\/keyring)/.test(name);
  const isInside = (component) => bundled.some((one) => same(one, component));
  const components = sbom.components.filter((one) => isNative(one) || isInside(one));
  const missing = bundled.find((one) => !components.some((component) => same(one, component)));
  if (missing !== undefined) throw new Error(`npm does not list ${missing.name}@${missing.version}`);
  const kept = new Set([sbom.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  return { ...sbom, components, dependencies };
}

const same = (one, other) => one.name === other.name && one.version === other.version;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const bundled = JSON.parse(readFileSync(join(root, 'build', 'bundled.json'), 'utf8'));
  const npm = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' };
  console.log(JSON.stringify(shippedOf(JSON.parse(execFileSync('npm', npm, options)), bundled), undefined, 1));
}
