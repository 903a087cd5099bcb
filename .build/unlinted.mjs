// What the linter has not yet found in order, by content: each of our rules looks at one file alone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const known = 'build/linted.json';

/**
 * Arguments for the linter (none: all of it), undefined where nothing is new; and how to keep that they were in order. Works in
 * the repository's root. Without git, and after a change of the rules or of the linter, all is new.
 */
export function unlinted() {
  const listed = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--', 'src', 'test', 'bin', ':(glob)*.json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (listed.status !== 0) return { files: [], keep: () => undefined };
  const rules = digest(readFileSync('biome.json'), readFileSync('node_modules/@biomejs/biome/package.json'));
  const before = read();
  const now = {};
  for (const file of listed.stdout.split('\0').filter((name) => /^(?:(?:src|test)\/.*\.ts|bin\/.*\.js|[^/]*\.json)$/.test(name))) {
    const text = contentOf(file);
    if (text !== undefined) now[file] = digest(text);
  }
  const same = before?.rules === rules;
  const fresh = Object.keys(now).filter((file) => !same || before.files[file] !== now[file]);
  const keep = () => {
    mkdirSync('build', { recursive: true });
    writeFileSync(known, JSON.stringify({ rules, files: now }));
  };
  if (fresh.length === 0) return { files: undefined, keep };
  return { files: fresh.length > 300 ? [] : fresh, keep };
}

function read() {
  try {
    return JSON.parse(readFileSync(known, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined: it is listed, and gone. */
function contentOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function digest(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}
