// A part of `npm run test:long`: every test that starts no other program under each line of Node.js that postern runs on, and
// what `postern token` costs there. Runs what is built.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'test', 'nodes');
const programs = ['20', '22', '24', '26'].map((line) => join(folder, 'node_modules', `node-${line}`, 'bin', 'node'));

if (!programs.every((program) => existsSync(program))) {
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', install, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
}

const lines = [];
for (const program of programs) {
  const { stdout: version = '', error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (error !== undefined) fail(`${program} cannot be started: they are for Linux on x64, and are of the npm registry`);
  const { code, said } = await run(program, join(root, '.build', 'tests.mjs'), 'in-process');
  const [tests = 'no test ran'] = /^\d+ files, .* passed/m.exec(said) ?? [];
  if (code !== 0) process.stdout.write(said.replace(/^ok .*\n/gm, ''));
  const cost = await run(process.execPath, join(root, 'build', 'test', 'bench', 'token-on.js'), program);
  const failed = code === 0 ? '' : `, SOME FAILED: ${said.match(/^FAILED: .*$/gm)?.join('; ') ?? ''}`;
  const [seconds = ''] = /\d+ s\s*$/.exec(said) ?? [];
  lines.push(`Node.js ${version.trim()}: ${tests}${failed}, ${seconds.trim()}; ${cost.said.trim() || 'cost not measured'}`);
  console.log(lines.at(-1));
  if (code !== 0) process.exitCode = 1;
}
console.log(`\n${lines.join('\n')}`);

function run(program, ...args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      said += piece;
    });
    child.on('close', (code) => resolve({ code, said }));
  });
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
