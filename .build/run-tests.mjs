// Runs test files in processes of their own or several to a process, prints a line for each file, and tells what failed.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './environment.mjs';

const timesFile = 'build/test-times.json';
/** Processes for tests that start no other program. More than processors, since tests also wait. */
const sharedProcesses = 5;
const aloneAtOnce = 3;
const fileLimitMs = 900_000;
const leastMemory = 2 ** 30;

/**
 * Runs `files` (rows of `testFiles()`) as they are built. Files that start no other program share processes: to start one for each
 * takes longer than most of them run. Their folders are in memory where there is room, since they wait for the disk's syncs.
 * Returns counts, `failures`: `{ file, name, error }`, and `left`, what was left out: `{ file, name, why }`.
 */
export async function runTests(files, { env = {}, propertyRuns }) {
  process.setMaxListeners(0); // one for each child
  const scratch = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'postern-test-'));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  const run = { total: files.length, done: 0, passed: 0, left: [], failures: [], times: readTimes() };
  const common = { ...cleanEnvironment(), ...env, POSTERN_PROPERTY_RUNS: String(propertyRuns) };
  const loader = ['.build/import-tests.mjs'];
  // Transcripts have a process of their own: what other tests have for secrets is printed there.
  const sharesProcess = ({ file, inProcess }) => inProcess && file !== 'test/transcripts.test.ts';
  const groups = shared(files.filter(sharesProcess).map(({ file }) => file), run.times);
  await pool(groups, sharedProcesses, (group) => runGroup(run, group, loader, { ...common, TMPDIR: scratch }));
  const alone = files.filter((file) => !sharesProcess(file)).map(({ file }) => [file]);
  await pool(alone, aloneAtOnce, (group) => runGroup(run, group, [], common));
  rmSync(scratch, { recursive: true, force: true });
  writeFileSync(timesFile, JSON.stringify(run.times));
  return run;
}

async function pool(work, width, act) {
  const waiting = [...work];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

function runGroup(run, files, loader, env) {
  const reporter = new URL('./line-reporter.mjs', import.meta.url).href;
  const args = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', ...loader, ...files.map(builtOf)];
  const state = { files, at: 0, tests: 0, ms: 0, failed: false, printed: '' };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const stop = () => child.kill();
    process.on('exit', stop);
    const limit = setTimeout(() => child.kill('SIGKILL'), fileLimitMs);
    child.stderr.setEncoding('utf8').on('data', (piece) => {
      state.printed += piece;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"name":')) count(run, state, JSON.parse(line));
      else state.printed += `${line}\n`;
    });
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      process.off('exit', stop);
      const isTold = state.at === files.length - 1 && run.failures.some(({ file }) => files.includes(file));
      if (code !== 0 && !isTold) {
        state.failed = true;
        run.failures.push({ file: files[state.at], name: `the file ended with ${signal ?? `exit code ${code}`}`, error: state.printed.slice(-4_000) });
      }
      while (state.at < files.length) end(run, state);
      resolve();
    });
  });
}

/** Files of a group run in order, so the first test of the next ends one. A test of what several files share counts for the file that runs. */
function count(run, state, { name, file, nesting, isSuite, left, error, ms }) {
  const own = state.files.indexOf(sourceOf(file ?? ''));
  while (own > state.at) end(run, state);
  const now = state.files[state.at];
  if (nesting === 0) state.ms += ms;
  if (!isSuite && error === undefined) state.tests += 1;
  if (isSuite && error === undefined) return;
  if (left !== undefined && left !== false) run.left.push({ file: now, name, why: left });
  else if (error === undefined) run.passed += 1;
  else {
    state.failed = true;
    run.failures.push({ file: now, name, error });
  }
}

function end(run, state) {
  const file = state.files[state.at];
  run.done += 1;
  run.times[file] = Math.round(state.ms);
  const number = `${String(run.done).padStart(String(run.total).length)}/${run.total}`;
  const name = file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  console.log(`${state.failed ? 'FAILED' : 'ok    '} ${number}  ${name}  ${state.tests} tests, ${(state.ms / 1000).toFixed(1)} s`);
  Object.assign(state, { at: state.at + 1, tests: 0, ms: 0, failed: false });
}

/** The files by process: the longest first, each to the process with the least to do. By size where no time is known. */
function shared(files, times) {
  const msOf = (file) => 20 + (times[file] ?? statSync(file).size / 5);
  const groups = Array.from({ length: Math.min(sharedProcesses, files.length) }, () => ({ files: [], ms: 0 }));
  for (const file of files.toSorted((one, other) => msOf(other) - msOf(one))) {
    const group = groups.reduce((least, one) => (one.ms < least.ms ? one : least));
    group.files.push(file);
    group.ms += msOf(file);
  }
  return groups.map((group) => group.files.sort());
}

/** A folder in memory; undefined where there is none, or little room in it. */
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

function readTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'));
  } catch {
    return {};
  }
}

function builtOf(file) {
  return join('build', file.replace(/\.ts$/, '.js'));
}

/** `build/test/x.test.js`, as a reporter names it, to `test/x.test.ts`. */
function sourceOf(file) {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return relative('build', path).split(sep).join('/').replace(/\.js$/, '.ts');
}
