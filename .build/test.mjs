// `npm test`: builds, runs every test, says loudly what this machine could not run.
//
//   node .build/test.mjs [--no-build] [word…]     only test files whose path holds one of the words
//
// POSTERN_REQUIRE_ALL=1 (set by .ci/run): what is missing fails instead of being left out, but for what
// POSTERN_ALLOW_MISSING names, with commas between: that could not be installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './environment.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'build', 'test');
const requireAll = process.env.POSTERN_REQUIRE_ALL === '1';
const allowed = (process.env.POSTERN_ALLOW_MISSING ?? '').split(',').filter(Boolean);
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));

if (!process.argv.includes('--no-build')) mustRun('npm', ['run', '--silent', 'build']);

const files = testFiles().filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
if (files.length === 0) fail('there is no such test');

const scratch = mkdtempSync(join(tmpdir(), 'postern-test-run-'));
const skips = join(scratch, 'skips');
const counts = join(scratch, 'counts');
writeFileSync(skips, '');

const missingSuite = installFor('conformance', 'the official conformance suite');
const missingPrograms = installFor('programs', 'Claude Code, Codex CLI and eleven more that are set up');
const missingClients = installFor('clients', 'real programs through the bridge');
const missingNodes = installFor('nodes', 'each line of Node.js');
const missingWindows = installFor('windows', 'node.exe, for wine', '--os=win32', '--cpu=x64');
const missingNative = installFor('native', 'native parts for other systems', '--force'); // it minds the platform
const started = Date.now();
const run = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=2',
    '--test-timeout=900000', // one whole file, in milliseconds
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, '.build', 'count-reporter.mjs')}`,
    `--test-reporter-destination=${counts}`,
    ...files.map((file) => join(built, file)),
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: environmentOfTests() },
);

const { passed, failed, skipped, failures } = JSON.parse(readFileSync(counts, 'utf8') || '{}');
const leftOut = whatWasLeftOut();
rmSync(scratch, { recursive: true, force: true });

console.log(`\n${files.length} test files in ${Math.round((Date.now() - started) / 1000)} s`);
for (const name of failures ?? []) console.log(`FAILED: ${name}`);
if (leftOut.length > 0) {
  console.log(`\n${'!'.repeat(78)}\n!! NOT TESTED on this machine:`);
  for (const line of leftOut) console.log(`!!   ${line}`);
  console.log(`!! Debian: apt-get install gnome-keyring libkf5wallet-bin libqca-qt5-2-plugins keepassxc dbus libsecret-tools golang-docker-credential-helpers pass gnupg chromium firefox-esr xvfb xdotool openssl bsdutils git curl kubernetes-client fish zsh man-db groff-base iproute2 openssh-server wine wine64 systemd python3 redis-server redis-tools etcd-server etcd-client; then .ci/newer-programs`);
  console.log('!'.repeat(78));
}
const unexpected = leftOut.filter((line) => !allowed.some((need) => line.startsWith(`without ${need}:`)));
const inOrder = run.status === 0 && passed > 0 && !(requireAll && unexpected.length > 0);
if (run.status === 0 && !inOrder) console.log('\nPOSTERN_REQUIRE_ALL=1: nothing may be left out here.');
console.log('\nLonger, nightly and before a release: npm run test:long (endurance at its full length, ten times as many cases of each property)');
console.log(`\n${passed ?? 0} passed, ${failed ?? 1} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = inOrder ? 0 : 1;

/** Compiled tests that still have a source: an old build may hold more. */
function testFiles() {
  return readdirSync(built, { recursive: true })
    .filter((file) => file.endsWith('.test.js') && !file.includes('node_modules'))
    .filter((file) => existsSync(join(root, 'test', file.replace(/\.js$/, '.ts'))))
    .sort();
}

/** What a folder of tests needs are packages of its own, with a lock file there. Returns why they can't be had. */
function installFor(area, what, ...options) {
  if (!files.some((file) => file.startsWith(area))) return undefined;
  const folder = join(root, 'test', area);
  const stamp = join(folder, 'node_modules', '.package-lock.json');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules', '.installed-lock');
  if (existsSync(stamp) && existsSync(installed) && readFileSync(installed, 'utf8') === lock) return undefined;
  const npm = spawnSync('npm', ['ci', ...options, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (npm.status === 0) {
    writeFileSync(installed, lock);
    return undefined;
  }
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  return `${what} (the packages could not be installed: is the npm registry in reach?)`;
}

function whatWasLeftOut() {
  const notes = readFileSync(skips, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const byNeed = new Map();
  for (const { missing, file } of notes) {
    const name = relative(built, file).replace(/\.js$/, '');
    byNeed.set(missing.join(', '), new Set([...(byNeed.get(missing.join(', ')) ?? []), name]));
  }
  const lines = [...byNeed].map(([need, names]) => `without ${need}: some of ${[...names].join(', ')}`);
  return [...lines, missingSuite, missingPrograms, missingClients, missingNodes, missingNative, missingWindows].filter((line) => line !== undefined);
}

function environmentOfTests() {
  return {
    ...cleanEnvironment(),
    POSTERN_SKIPS: skips,
    ...(requireAll ? { POSTERN_REQUIRE_ALL: '1', POSTERN_ALLOW_MISSING: allowed.join(',') } : {}),
    ...(missingSuite === undefined ? {} : { POSTERN_NO_CONFORMANCE: missingSuite }),
    ...(missingNative === undefined ? {} : { POSTERN_NO_NATIVE: missingNative }),
    ...(missingWindows === undefined ? {} : { POSTERN_NO_WINDOWS: missingWindows }),
    ...(missingNodes === undefined ? {} : { POSTERN_NO_NODES: missingNodes }),
    ...(missingClients === undefined ? {} : { POSTERN_NO_CLIENTS: missingClients }),
    ...(missingPrograms === undefined ? {} : { POSTERN_NO_PROGRAMS: missingPrograms }),
  };
}

function mustRun(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(`${[command, ...args].join(' ')} failed`);
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
