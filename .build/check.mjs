// `npm run check`: types, lint, and the tests that start no other program, for whoever is at work. `npm test` is the whole.
//
//   node .build/check.mjs [--tests] [word…]     only test files whose path holds one of the words; the tests alone, as built
//
// Without a word, what is slow by its nature is left out (in-process.mjs), but for `--tests`, which leaves out nothing.
//
// The linter looks at what is new since it last found all in order (unlinted.mjs); `npm run lint` looks at everything.
//
// Many test files share a process: to start one for each takes longer than most of them run, and each has to load the whole
// program, two seconds of a processor. Yet more processes than processors, since tests wait, too. Their folders are in memory
// where the system has a place there: on a disk they wait for what nobody needs, that their files outlive a power cut. Each
// process gets a like share by the times of the last run, which are kept in build/; by the files' sizes, and by what is known
// to take long, before there was one.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './environment.mjs';
import { inProcess, slowByNature } from './in-process.mjs';
import { unlinted } from './unlinted.mjs';

const processes = 6;
const slow = [
  ['test/tokens/time-limits.test.ts', 23_000],
  ['test/login/hostile-answers.test.ts', 18_000],
  ['test/tokens/authorizer.test.ts', 16_000],
  ['test/client-metadata/serve.test.ts', 11_000],
  ['test/login/one-login-at-a-time.test.ts', 11_000],
  ['test/login/consent-page.test.ts', 10_000],
  ['test/login/logout/logout.test.ts', 9_000],
  ['test/stores/sealed-files/file-store-key.test.ts', 8_000],
  ['test/stores/run-program.test.ts', 7_500],
];
const leastMemory = 2 ** 30;
const timesFile = 'build/check-times.json';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const started = Date.now();
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const testsAlone = process.argv.includes('--tests');
const scratch = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'postern-check-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const failures = [];
const times = readTimes();
let passed = 0;

const lint = testsAlone ? undefined : lintNew();
if (!testsAlone) await run('types', [process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
if (failures.length === 0) {
  const all = inProcess();
  const files = all.filter(words.length > 0 ? (file) => words.some((word) => file.includes(word)) : (file) => testsAlone || !slowByNature.has(file));
  const groups = shared(files);
  await Promise.all(groups.map(testGroup));
  writeFileSync(timesFile, JSON.stringify(times));
  console.log(`${passed} tests passed, in ${groups.length} processes`);
  if (words.length === 0 && files.length < all.length) console.log(`${all.length - files.length} files of tests are left to npm test: they are slow by their nature`);
}
await lint;
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${Math.round((Date.now() - started) / 1000)} s`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function lintNew() {
  const { files, keep } = unlinted();
  if (files === undefined) return;
  if (await run('biome', [process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--no-errors-on-unmatched', ...files])) keep();
}

/** Runs to its end, true: in order; what it printed is shown where it failed. */
function run(name, [file, ...args], env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece));
    child.on('close', (code) => {
      if (code !== 0) {
        process.stdout.write(Buffer.concat(said));
        failures.push(name);
      }
      resolve(code === 0);
    });
  });
}

async function testGroup(files, number) {
  const counts = join(scratch, `counts-${number}`);
  const reporter = new URL('./count-reporter.mjs', import.meta.url).href;
  const more = process.env.POSTERN_ENDURANCE_PROPERTY_RUNS === undefined ? [] : ['--import', new URL('./more-cases.mjs', import.meta.url).href];
  const args = [
    ...more,
    ...['spec', reporter].map((name) => `--test-reporter=${name}`),
    ...['stdout', counts].map((to) => `--test-reporter-destination=${to}`),
    fileURLToPath(new URL('./import-tests.mjs', import.meta.url)),
    ...files.map((file) => join('build', file.replace(/\.ts$/, '.js'))),
  ];
  await run(`one of ${files.join(', ')}`, [process.execPath, ...args], { ...cleanEnvironment(), TMPDIR: scratch });
  const told = JSON.parse(readFileSync(counts, 'utf8'));
  passed += told.passed;
  failures.push(...told.failures);
  for (const [file, ms] of Object.entries(told.times)) times[sourceOf(file)] = Math.round(ms);
}

/** Undefined where there is none, or little room in it. */
function memoryFolder() {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= leastMemory ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The files by process: the longest first, each to whoever has the least to do. */
function shared(files) {
  const msOf = (file) => 20 + (times[file] ?? statSync(file).size / 5);
  const groups = Array.from({ length: Math.min(processes, files.length) }, () => ({ files: [], ms: 0 }));
  for (const file of files.toSorted((one, other) => msOf(other) - msOf(one))) {
    const group = groups.reduce((least, one) => (one.ms < least.ms ? one : least));
    group.files.push(file);
    group.ms += msOf(file);
  }
  return groups.map((group) => group.files.sort());
}

function readTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'));
  } catch {
    return Object.fromEntries(slow);
  }
}

/** `build/test/x.test.js`, as a reporter names it, to `test/x.test.ts`. */
function sourceOf(file) {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return slashed(relative('build', path)).replace(/\.js$/, '.ts');
}

function slashed(path) {
  return path.split(sep).join('/');
}
