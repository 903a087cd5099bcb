// Runs test files in processes of their own or several to a process, prints a line for each file, and tells what failed.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from './environment.mjs';

const timesFile = 'build/test-times.json';
/** Processes for tests that start no other program: more than processors, since tests also wait. Each compiles the program again. */
const sharedProcesses = 4;
const aloneAtOnce = 4;
/** After the last test, what a failed one left open keeps its process. */
const lingerMs = 10_000;
const leastMemory = 2 ** 30;

/**
 * Runs `files` (rows of `testFiles()`) as they are built. Files that start no other program share processes: to start one for each
 * takes longer than most of them run. Their folders are in memory where there is room, since they wait for the disk's syncs.
 * Each process has `limitMs`. Returns counts, `failures`: `{ file, name, error }`, and `left`, what was left out: `{ file, name, why }`.
 */
export async function runTests(files, { env = {}, propertyRuns, limitMs }) {
  process.setMaxListeners(0); // one for each child
  const scratch = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'postern-test-'));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  const run = { limitMs, total: files.length, done: 0, passed: 0, left: [], failures: [], times: readTimes() };
  const common = { ...cleanEnvironment(), ...env, POSTERN_PROPERTY_RUNS: String(propertyRuns) };
  // Transcripts have a process of their own: what other tests have for secrets is printed there.
  const isApart = (file) => file === 'test/transcripts.test.ts';
  const inProcess = files.filter((file) => file.inProcess).map(({ file }) => file);
  const groups = [inProcess.filter(isApart), ...shared(inProcess.filter((file) => !isApart(file)), run.times)].filter(({ length }) => length > 0);
  await pool(groups, groups.length, (group) => runGroup(run, group, { ...common, TMPDIR: scratch }));
  const alone = files.filter((file) => !file.inProcess).map(({ file }) => [file]);
  await pool(alone, aloneAtOnce, (group) => runGroup(run, group, common));
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

function runGroup(run, files, env) {
  const reporter = new URL('./line-reporter.mjs', import.meta.url).href;
  const args = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', '.build/import-tests.mjs', ...files.map(builtOf)];
  const state = { files, at: 0, tests: 0, ms: 0, cpuMs: 0, failed: false, printed: '' };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const stop = () => child.kill('SIGKILL');
    process.on('exit', stop);
    let limit = setTimeout(stop, run.limitMs);
    child.stderr.setEncoding('utf8').on('data', (piece) => {
      state.printed += piece;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{"name":')) state.printed += `${line}\n`;
      else count(run, state, JSON.parse(line));
      if (state.at < files.length) return;
      clearTimeout(limit);
      limit = setTimeout(stop, lingerMs);
    });
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      process.off('exit', stop);
      const isOver = state.at === files.length;
      const isTold = isOver && run.failures.some(({ file }) => files.includes(file));
      if (!isTold && (code !== 0 || !isOver)) {
        const name = `${isOver ? 'after the last test' : 'before its end'} the process ended with ${signal ?? `exit code ${code}`}`;
        state.failed = true;
        run.failures.push({ file: files[state.at] ?? files.at(-1), name, error: state.printed.slice(-4_000) });
      }
      while (state.at < files.length) end(run, state);
      resolve();
    });
  });
}

function count(run, state, { name, nesting, isSuite, left, error, ms, cpuMs }) {
  const file = state.files[state.at] ?? state.files.at(-1);
  if (name === `end of ${builtOf(file)}`) return end(run, state);
  if (nesting === 0) state.ms += ms;
  state.cpuMs += cpuMs;
  if (!isSuite && error === undefined) state.tests += 1;
  if (isSuite && error === undefined) return;
  if (left !== undefined && left !== false) run.left.push({ file, name, why: left });
  else if (error === undefined) run.passed += 1;
  else {
    state.failed = true;
    run.failures.push({ file, name, error });
  }
}

function end(run, state) {
  const file = state.files[state.at] ?? state.files.at(-1);
  run.done += 1;
  run.times[file] = Math.round(state.cpuMs);
  const number = `${String(run.done).padStart(String(run.total).length)}/${run.total}`;
  const name = file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  console.log(`${state.failed ? 'FAILED' : 'ok    '} ${number}  ${name}  ${state.tests} tests, ${(state.ms / 1000).toFixed(1)} s`);
  Object.assign(state, { at: state.at + 1, tests: 0, ms: 0, cpuMs: 0, failed: false });
}

/** The files by process, each with as much to do as the others, in processor time. Neighbours stay together: they need the same code compiled. */
function shared(files, times) {
  const msOf = (file) => 20 + (times[file] ?? statSync(file).size / 12);
  const total = files.reduce((sum, file) => sum + msOf(file), 0);
  const groups = Array.from({ length: Math.min(sharedProcesses, files.length) }, () => []);
  let before = 0;
  for (const file of files) {
    groups[Math.floor(((before + msOf(file) / 2) / total) * groups.length)].push(file);
    before += msOf(file);
  }
  return groups;
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
