import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { repositoryRoot } from '../support/repository.js';
import { leftOut } from './left-out.js';
import { type Person, startPerson } from './person.js';
import { isMissing, node } from './windows.js';

/** Rooms whose tests run on Windows as they are (whole command lines: the other files here), and the most files that share a process. */
const rooms = ['app', 'config', 'core', 'credential', 'mcp', 'oauth', 'setup', 'stores', 'tokens'];
const filesAtOnce = 12;

interface Result {
  readonly name: string;
  readonly nesting: number;
  /** A URL, or a path of Windows. */
  readonly file: string;
  /** Why it was left out there. */
  readonly left?: string | boolean;
  readonly error?: string;
}

/** Files of `test/`, without `.test.ts`, some of one room at a time. */
async function groups(): Promise<readonly (readonly [name: string, files: readonly string[]])[]> {
  const { testFiles } = await import(pathToFileURL(join(repositoryRoot, '.build', 'tiers.mjs')).href);
  const before = process.cwd();
  process.chdir(repositoryRoot);
  const all = (testFiles() as readonly { file: string; tier: string }[])
    .filter(({ tier }) => tier === 'check')
    .map(({ file }) => file.slice('test/'.length, -'.test.ts'.length));
  process.chdir(before);
  const whole = leftOut.filter((one) => one.test === undefined).map(({ file }) => file);
  const files = all.filter((file) => !whole.includes(file));
  return rooms.flatMap((room) => {
    const own = files.filter((file) => file.startsWith(`${room}/`));
    const count = Math.ceil(own.length / filesAtOnce);
    return Array.from({ length: count }, (_, at) => {
      const name = count === 1 ? room : `${room}, ${at + 1} of ${count}`;
      return [name, own.filter((_file, index) => index % count === at)] as const;
    });
  });
}

/** In wine 8 a socket cannot connect on which keep-alive was set before, as undici does (2026-11-23). */
const withoutKeepAlive =
  'import { Socket } from "node:net"; Socket.prototype.setKeepAlive = function () { return this; };';

/** Runs test files in one process there. */
async function run(person: Person, files: readonly string[]): Promise<readonly Result[]> {
  const z = (path: string) => `Z:${join(repositoryRoot, path)}`.replaceAll('/', '\\');
  const ofBuild = (name: string) =>
    pathToFileURL(join(repositoryRoot, '.build', name)).href.replace('file:///', 'file:///Z:/');
  await using program = person.start(
    node,
    `--test-reporter=${ofBuild('line-reporter.mjs')}`,
    '--test-reporter-destination=stdout',
    `--import=data:text/javascript,${encodeURIComponent(withoutKeepAlive)}`,
    z('.build/import-tests.mjs'),
    ...files.map((file) => z(`build/test/${file}.test.js`)),
  );
  program.end();
  const limit = setTimeout(() => program.kill(), 600_000);
  const { stdout, stderr, code } = await program.finished;
  clearTimeout(limit);
  const results = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{"name":') ? [JSON.parse(line) as Result] : []))
    .filter(({ nesting, name }) => nesting === 0 && !name.startsWith('end of '));
  assert.ok(
    code !== null && results.length > 0,
    `${files.join(', ')}: ${code}\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`,
  );
  return results;
}

/** As in `leftOut`. */
function nameOf(file: string): string {
  const path = (file.startsWith('file:') ? fileURLToPath(file.replace('/Z:', '')) : file.replace(/^Z:/, '')).replaceAll(
    '\\',
    '/',
  );
  return path.replace(/^.*\/build\/test\//, '').replace(/\.test\.js$/, '');
}

test('the tests of these rooms, on Windows', { skip: isMissing() }, async (t) => {
  await using person = await startPerson('ada');
  const waiting = [...(await groups())];
  const known = new Set<string>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, files] = next;
      const results = await run(person, files).catch((error: Error) => error);
      await t.test(name, async (own) => {
        if (results instanceof Error) throw results;
        for (const { name: title, file, left, error } of results) {
          const out = leftOut.find((one) => one.test === title && one.file === nameOf(file));
          if (out !== undefined) known.add(JSON.stringify(out));
          const skip = out?.why ?? (left === undefined ? false : String(left));
          await own.test(`${nameOf(file)}: ${title}`, { skip }, () => {
            if (error !== undefined) throw new Error(error);
          });
          if (out !== undefined) assert.notEqual(error, undefined, `runs there: ${title}; take it off the list`);
        }
      });
    }
  };
  await Promise.all([work(), work(), work()]);
  const stale = leftOut.filter((one) => one.test !== undefined && !known.has(JSON.stringify(one)));
  assert.deepEqual(stale, [], 'no such test any more');
});
