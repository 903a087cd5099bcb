// Runs the tests: node .build/tests.mjs [check|test|landing|long|in-process] [--no-build] [word…]
//
//   check        types, lint, and the tests that start no other program: while you work
//   test         `npm test`: builds, lints, then the above and the built program
//   landing      `npm test -- --landing`: the above, a fleet's engine, real programs that are small
//   long         `npm run test:long`: what the others leave out, endurance at full length, other lines of Node.js
//   in-process   every test that starts no other program, as built
//
// Words run only the files whose path holds one of them, of any tier. With POSTERN_REQUIRE_ALL=1 (set by .ci/run) what is missing
// fails instead of being left out, but for what POSTERN_ALLOW_MISSING names, with commas between.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './install-packages.mjs';
import { runTests } from './run-tests.mjs';
import { testFiles, tiers } from './tiers.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const started = Date.now();
const lintPassed = 'build/lint-passed';
const [tier = 'test', ...rest] = process.argv.slice(2);
const options = rest.filter((word) => word.startsWith('--'));
const words = rest.filter((word) => !word.startsWith('--'));
const run = options.includes('--landing') ? 'landing' : tier;
const requireAll = process.env.POSTERN_REQUIRE_ALL === '1';
const allowed = (process.env.POSTERN_ALLOW_MISSING ?? '').split(',').filter(Boolean);

const files = testFiles().filter(isAskedFor);
if (files.length === 0) stop('no test file has such a path');
const failed = [];
const lint = run === 'check' || run === 'test' || run === 'landing' ? lintNew() : undefined;
if (run === 'check') await mustPass('types', {}, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json');
else if (run !== 'in-process' && !options.includes('--no-build')) build();
const uninstalled = installPackages(files.map(({ file }) => file));

const skips = join(mkdtempSync(join(tmpdir(), 'postern-skips-')), 'skips');
writeFileSync(skips, '');
process.on('exit', () => rmSync(join(skips, '..'), { recursive: true, force: true }));
const { passed, left, failures } = await runTests(files, {
  env: {
    POSTERN_SKIPS: skips,
    ...(requireAll ? { POSTERN_REQUIRE_ALL: '1', POSTERN_ALLOW_MISSING: allowed.join(',') } : {}),
    ...(run === 'long' ? fullLength() : {}),
  },
  propertyRuns: { check: 30, long: 1000 }[run] ?? 100,
  limitMs: run === 'long' ? 3_600_000 : 900_000,
});
if (run === 'long' && words.length === 0) await testOtherNodes();
await lint;
report();

function isAskedFor({ file, inProcess, tier: own }) {
  if (run === 'check' || run === 'in-process') {
    if (!inProcess) return false;
    if (words.length > 0) return words.some((word) => file.includes(word));
    return run === 'in-process' || own === 'check';
  }
  if (words.length > 0) return words.some((word) => file.includes(word));
  if (run === 'long') return own === 'long' || /^test\/(?:endurance\/|setup\/|e2e\/slow-person)/.test(file) || inProcess;
  return tiers.indexOf(own) <= tiers.indexOf(run);
}

function build() {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) stop('the build failed');
}

/** Lints what has changed since it last passed: each rule looks at one file alone. */
async function lintNew() {
  const now = new Date();
  const passed = statSync(lintPassed, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isNew = (file) => statSync(file).mtimeMs >= passed;
  const listed = ['src', 'test', 'bin'].flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
  const fresh = listed.filter((file) => /^(?!.*node_modules).*\.(?:ts|js|json)$/.test(file) && isNew(file));
  const isAllNew = fresh.length > 300 || ['biome.json', 'package-lock.json'].some(isNew);
  if (fresh.length === 0 && !isAllNew) return;
  const files = isAllNew ? [] : ['--no-errors-on-unmatched', ...fresh];
  if (!(await mustPass('lint', {}, 'node_modules/@biomejs/biome/bin/biome', 'check', ...files))) return;
  mkdirSync('build', { recursive: true });
  writeFileSync(lintPassed, '');
  utimesSync(lintPassed, now, now);
}

/** Every test that starts no other program under each line of Node.js that postern runs on, and what `postern token` costs there. */
async function testOtherNodes() {
  for (const line of ['20', '22', '24', '26']) {
    const program = join('test', 'nodes', 'node_modules', `node-${line}`, 'bin', 'node');
    await mustPass(`Node.js ${line}`, { program }, '.build/tests.mjs', 'in-process');
    const cost = spawnSync(process.execPath, ['build/test/bench/token-on.js', program], { encoding: 'utf8' });
    console.log(`Node.js ${line}: ${cost.stdout.trim() || 'cost not measured'}`);
  }
}

/** Runs a script; what it printed is shown if it fails. */
function mustPass(name, { program = process.execPath }, ...command) {
  return new Promise((resolve) => {
    const child = spawn(program, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    const pieces = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
    child.on('close', (code) => {
      if (code !== 0) {
        process.stdout.write(Buffer.concat(pieces));
        failed.push(name);
      }
      resolve(code === 0);
    });
  });
}

/** Numbers of `test/endurance` at their greatest. */
function fullLength() {
  return {
    POSTERN_ENDURANCE_RUNS: '20',
    POSTERN_ENDURANCE_KILLS: '100',
    POSTERN_ENDURANCE_BRIDGE_KILLS: '100',
    POSTERN_ENDURANCE_PROXY_KILLS: '50',
    POSTERN_ENDURANCE_REFRESH_KILLS: '200',
    POSTERN_ENDURANCE_FLEET_KILLS: '50',
    POSTERN_ENDURANCE_FLEET_PROCESSES: '25',
    POSTERN_ENDURANCE_PERSON_SECONDS: '130',
  };
}

function report() {
  const leftOut = [...missing(), ...uninstalled.map((what) => ({ need: what, packages: [], line: `${what}: the packages could not be installed; is the npm registry in reach?` }))];
  for (const { file, name, error } of failures) console.log(`\nFAILED: ${name}\n  ${file}\n${String(error).replace(/^/gm, '    ')}`);
  for (const name of failed) console.log(`\nFAILED: ${name}`);
  for (const { line } of leftOut) console.log(`NOT TESTED: ${line}`);
  // Those of a missing program stand in the lines above.
  const others = left.filter(({ why }) => !String(why).startsWith('not on this machine'));
  for (const { file, name, why } of others) console.log(`LEFT OUT: ${name} (${file}${why === true ? '' : `: ${why}`})`);
  const packages = [...new Set(leftOut.flatMap((one) => one.packages))];
  if (packages.length > 0) console.log(`To test them, on Debian: apt-get install ${packages.join(' ')}`);
  const forbidden = requireAll ? leftOut.filter(({ need }) => !allowed.includes(need)) : [];
  if (forbidden.length > 0) console.log('POSTERN_REQUIRE_ALL=1: nothing may be left out here.');
  const seconds = Math.round((Date.now() - started) / 1000);
  const counts = [`${passed} passed`, `${failures.length + failed.length} failed`, ...(left.length > 0 ? [`${left.length} left out`] : [])];
  console.log(`\n${files.length} files, ${counts.join(', ')}, ${seconds} s`);
  process.exitCode = failures.length + failed.length + forbidden.length === 0 && passed > 0 ? 0 : 1;
}

/** What this machine lacks, as `test/support/needs.ts` noted it: a line for each. */
function missing() {
  const notes = readFileSync(skips, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return [...new Set(notes.map(({ need }) => need))].map((need) => {
    const own = notes.filter((note) => note.need === need);
    return { need, packages: own[0].packages, line: `without ${need}: some of ${[...new Set(own.map(({ file }) => file))].join(', ')}` };
  });
}

function stop(reason) {
  console.error(reason);
  process.exit(1);
}
