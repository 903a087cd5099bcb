import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHomeWithKey } from '../support/home.js';
import { programCommand, runProgram, startCommand, startProgram } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { measure, type Program } from './paired.js';

// `npm run bench:calls [-- rounds]`: a list of tools and a call of one, as whole processes, beside mcporter and mcpc, on one
// sandbox, round after round. Those two are given the token as a header. mcporter connects each time, as we do; mcpc asks a
// process of its own that it has left running with an open session.
const rounds = Number(process.argv[2] ?? '20');
const peer = (name: string) => join(repositoryRoot, 'test', 'bench', 'peers', 'node_modules', '.bin', name);

await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
await using sandbox = startProgram(home, ['sandbox', '--approve', '--lifetime', '86400']);
const [server = ''] = await sandbox.waitForStdout(/^http\S+$/m);
const login = await runProgram(home, ['login', server, '--device', '--name', 'work']);
if (login.code !== 0) throw new Error(login.stderr);
const token = (await runProgram(home, ['token', 'work'])).stdout.trim();
const headers = { Authorization: `Bearer ${token}` };
await mkdir(join(home.path, 'config'), { recursive: true });
const configuration = join(home.path, 'config', 'mcporter.json');
await writeFile(configuration, JSON.stringify({ mcpServers: { work: { url: server, headers } } }));
await toEnd([peer('mcpc'), 'connect', server, '@work', '--header', `Authorization: Bearer ${token}`]);

const echoes = /hello/;
const lists = /note_add/;
const { env } = home;
const programs: readonly Program[] = [
  { name: 'node -e 0', command: [process.execPath, '-e', '0'], env, prints: /^$/ },
  { name: 'postern call work', command: programCommand(['call', 'work']), env, prints: lists },
  { name: 'mcporter list', command: [peer('mcporter'), '--config', configuration, 'list', 'work'], env, prints: lists },
  { name: 'mcpc tools-list', command: [peer('mcpc'), '@work', 'tools-list'], env, prints: lists },
  {
    name: 'postern call work echo',
    command: programCommand(['call', 'work', 'echo', 'text=hello']),
    env,
    prints: echoes,
  },
  {
    name: 'mcporter call',
    command: [peer('mcporter'), '--config', configuration, 'call', 'work.echo', 'text=hello'],
    env,
    prints: echoes,
  },
  {
    name: 'mcpc tools-call',
    command: [peer('mcpc'), '@work', 'tools-call', 'echo', 'text:=hello'],
    env,
    prints: echoes,
  },
];

const timings = measure(programs, rounds);
await toEnd([peer('mcpc'), 'close', '@work']);
const medianOf = (name: string) => timings.find((timing) => timing.name === name)?.median ?? Number.NaN;
for (const { name, median, quartiles, cpu } of timings) {
  const [low, high] = quartiles.map((ms) => ms.toFixed(0));
  process.stdout.write(
    `${name.padEnd(26)} ${median.toFixed(1).padStart(8)} ms  ${low}-${high}  cpu ${cpu.toFixed(0)}\n`,
  );
}
const ratios = [
  ['list', 'postern call work', 'mcporter list', 'mcpc tools-list'],
  ['call', 'postern call work echo', 'mcporter call', 'mcpc tools-call'],
] as const;
for (const [what, own, ...others] of ratios) {
  for (const other of others) {
    process.stdout.write(`${what}: ${(medianOf(own) / medianOf(other)).toFixed(2)} of ${other}\n`);
  }
}
process.stdout.write(`${rounds} rounds; quartiles behind the median; cpu: mean processor time, ms\n`);

async function toEnd([command, ...args]: readonly [string, ...string[]]): Promise<void> {
  await using running = startCommand(command, args, home);
  running.stdin.end();
  const { code, stdout, stderr } = await running.finished;
  if (code !== 0) throw new Error(`${command} ${args[0]}: ${stdout}${stderr}`);
}
