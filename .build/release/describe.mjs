// node .build/release/describe.mjs PARTS FOLDER DATE
//
// PARTS holds what the jobs have made, in a folder for each. The files of a release go to FOLDER; beside them come SHA256SUMS,
// the formula of Homebrew, the manifests of scoop and winget, all with the addresses and digests of these very files.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf, gather, homebrewFormula, scoopManifest, wingetManifests } from './manifests.mjs';
import { packageOf, repositoryUrl } from './repository.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [parts, folder, date] = process.argv.slice(2);
if (!/^\d{4}-\d\d-\d\d$/.test(date ?? '')) fail('node .build/release/describe.mjs PARTS FOLDER YYYY-MM-DD');
const repository = repositoryUrl(process.env, root);
if (repository === undefined) fail('nobody knows where this release will be: there is no git remote');

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

function fail(why) {
  console.error(why);
  process.exit(1);
}
