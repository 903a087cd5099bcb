// Which run a test file belongs to (test/README.md, "Four runs").
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

export const tiers = ['check', 'test', 'landing', 'long'];

/** The first row that fits a file's path decides; the rest belongs to `check` if it starts no other program and runs no whole command lines, else to `test`. */
const rows = [
  ['landing', /^test\/(?:clients\/|programs\/tools)/], // real programs that are small
  ['landing', /^test\/(?:fleet|endurance\/fleet|e2e\/(?:shared|keeper))/], // a fleet's engine
  ['long', /^test\/(?:native|nodes|programs|release|windows)\//],
  ['long', /^test\/conformance\/(?:bridge|newer-host|older-wires)/],
  ['test', /^test\/(?:sandbox|bridge|call)\//], // a wing of its own; whole sessions
  ['test', /^test\/doctor\/(?:every-fault|company-login|real-servers|login\/)/], // logins for each kind of server and fault
  ['test', /^test\/stores\/sealed-files\/file-store-key/], // keys from passphrases, slow on purpose
  ['test', /^test\/fleet\/shared\//], // every order of two or three holders
];

/** Every test file: `file` from the repository's root, with slashes; `tier`; `inProcess`: it starts no other program. */
export function testFiles() {
  // `openssl` alone may be started: it makes certificates.
  const startsPrograms = reaching((file, text) => file !== 'test/support/certificates.ts' && /'(?:node:child_process|playwright-core)'/.test(text));
  const runsCommandLines = reaching((file) => /^test\/support\/(?:machine|in-process)\.ts$/.test(file));
  return list()
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => {
      const inProcess = !startsPrograms(file);
      const row = rows.find(([tier, path]) => path.test(file) && !(tier === 'landing' && inProcess));
      return { file, inProcess, tier: row?.[0] ?? (inProcess && !runsCommandLines(file) ? 'check' : 'test') };
    })
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Whether a file, or what it imports of test/, `is` that. */
function reaching(is) {
  const known = new Map();
  const reaches = (file) => {
    if (!known.has(file)) {
      known.set(file, false); // circles end here
      const text = readFileSync(file, 'utf8');
      const others = [...text.matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm)]
        .map(([, target]) => slashed(join(dirname(file), target)).replace(/\.js$/, '.ts'))
        .filter((target) => target.startsWith('test/'));
      known.set(file, is(file, text) || others.some(reaches));
    }
    return known.get(file);
  };
  return reaches;
}

function list() {
  return readdirSync('test', { recursive: true })
    .map((name) => slashed(join('test', name)))
    .filter((file) => !file.includes('node_modules'));
}

function slashed(path) {
  return path.split(sep).join('/');
}
