// Which run a test file belongs to (test/README.md, "Four runs").
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

export const tiers = ['check', 'test', 'landing', 'long'];

/** The first row that fits a file's path decides; the rest belongs to `check` if it starts no other program, else to `test`. */
const rows = [
  ['landing', /^test\/(?:clients\/|programs\/tools)/], // real programs that are small
  ['landing', /^test\/(?:fleet|endurance\/fleet|e2e\/(?:shared|keeper))/], // a fleet's engine
  ['long', /^test\/(?:native|nodes|programs|release|windows)\//],
  ['long', /^test\/conformance\/(?:bridge|newer-host|older-wires)/],
  ['test', /^test\/(?:command-line|bridge|call|config)\/|^test\/(?:app\/layout|mcp\/eras|oauth\/id-token)/], // whole command lines
  ['test', /^test\/sandbox\//], // a wing of its own
  ['test', /^test\/doctor\/every-fault/], // a login for each fault
  ['test', /^test\/stores\/sealed-files\/file-store-key/], // keys from passphrases, slow on purpose
  ['test', /^test\/fleet\/shared\//], // every order of two or three holders
];

/** Every test file: `file` from the repository's root, with slashes; `tier`; `inProcess`: it starts no other program. */
export function testFiles() {
  const starts = startsPrograms();
  return list()
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => {
      const inProcess = !starts(file);
      const row = rows.find(([tier, path]) => path.test(file) && !(tier === 'landing' && inProcess));
      return { file, inProcess, tier: row?.[0] ?? (inProcess ? 'check' : 'test') };
    })
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** A file starts programs if it, or what it imports of test/, says so. `openssl` alone may be started: it makes certificates. */
function startsPrograms() {
  const known = new Map([['test/support/certificates.ts', false]]);
  const starts = (file) => {
    if (!known.has(file)) {
      known.set(file, false); // circles end here
      const text = readFileSync(file, 'utf8');
      const others = [...text.matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm)]
        .map(([, target]) => slashed(join(dirname(file), target)).replace(/\.js$/, '.ts'))
        .filter((target) => target.startsWith('test/'));
      known.set(file, /'(?:node:child_process|playwright-core)'/.test(text) || others.some(starts));
    }
    return known.get(file);
  };
  return starts;
}

function list() {
  return readdirSync('test', { recursive: true })
    .map((name) => slashed(join('test', name)))
    .filter((file) => !file.includes('node_modules'));
}

function slashed(path) {
  return path.split(sep).join('/');
}
