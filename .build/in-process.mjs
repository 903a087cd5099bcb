import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** Test files that take seconds of a processor by their nature: whoever is at work asks for them by name, `npm test` always runs them. */
export const slowByNature = new Set([
  'test/doctor/every-fault.test.ts', // a login for each fault
  'test/login/browser/guesses.test.ts', // thousands of requests
  'test/stores/sealed-files/file-store-key.test.ts', // keys from passphrases, which are made to take long
  'test/stores/shared/protocol.test.ts', // every order of two or three holders
  'test/stores/shared/salts.test.ts', // keys from passphrases
]);

/**
 * Test files that start no other program, nor does anything of test/ that they import. `openssl` alone may: it makes certificates.
 * Paths with slashes, from the repository's root, which is the working folder.
 */
export function inProcess() {
  const known = new Map([['test/support/certificates.ts', true]]);
  const isIn = (file) => {
    if (!known.has(file)) {
      known.set(file, true); // circles end here
      const text = readFileSync(file, 'utf8');
      const others = [...text.matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm)]
        .map(([, target]) => slashed(join(dirname(file), target)).replace(/\.js$/, '.ts'))
        .filter((target) => target.startsWith('test/'));
      known.set(file, !/'(?:node:child_process|playwright-core)'/.test(text) && others.every(isIn));
    }
    return known.get(file);
  };
  return readdirSync('test', { recursive: true })
    .map((name) => slashed(join('test', name)))
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules') && isIn(file))
    .sort();
}

function slashed(path) {
  return path.split(sep).join('/');
}
