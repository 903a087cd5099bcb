import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { programCommand } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { measure, type Program } from './paired.js';

// `npm run bench [-- rounds]`: cold starts as whole processes, paired in one run. The home of each has nothing of this
// machine's in it, NODE_EXTRA_CA_CERTS least of all: with it every start takes 30 ms longer.
const rounds = Number(process.argv[2] ?? '60');
const server = 'https://mcp.example/mcp';

await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
await storeLogin(home, { server, name: 'work', accessToken: 'token-of-the-bench', expiresAt: Date.now() + 3_600_000 });
const gh = join(home.path, 'gh');
await mkdir(gh);
await writeFile(join(gh, 'hosts.yml'), 'github.com:\n    oauth_token: gho_bench\n    user: someone\n');

const node: Program = { name: 'node -e 0', command: [process.execPath, '-e', '0'], env: home.env, prints: /^$/ };
const gitRequest = 'protocol=https\nhost=mcp.example\npath=mcp\n\n';
const own = (args: readonly string[], prints: RegExp, input = ''): Program => ({
  name: `postern ${args.join(' ')}`,
  input,
  command: programCommand(args),
  env: home.env,
  prints,
});
const ghToken: Program = {
  name: 'gh auth token',
  command: ['gh', 'auth', 'token'],
  env: { ...home.env, GH_CONFIG_DIR: gh },
  prints: /^gho_/,
};
const hasGh = spawnSync('gh', ['--version']).error === undefined;
const programs: readonly Program[] = [
  node,
  ...(hasGh ? [ghToken] : []),
  own(['token', 'work'], /^token-of-the-bench\n$/),
  own(['token', server, '--header'], /^Authorization: Bearer token-of-the-bench\n$/),
  own(['credential', 'headers', 'work'], /^\{"Authorization":"Bearer token-of-the-bench"\}\n$/),
  own(['credential', 'git', 'get'], /^username=oauth2\npassword=token-of-the-bench\n/, gitRequest),
  own(['credential', 'bazel', 'get'], /"Bearer token-of-the-bench"/, `{"uri":"${server}"}`),
  own(['token', 'work', '--verbose'], /^token-of-the-bench\n$/), // the same without the short way
  own(['status'], /mcp\.example/),
  own(['--help'], /^Usage/),
  own([], /All commands: postern --help/),
  own(['__complete', 'bash', 'postern token wo', '=:'], /^work\n$/),
];

const rows = measure(programs, rounds).map(({ name, median, quartiles, ratio, ratioQuartiles, cpu, cpuRatio }) =>
  [
    name.padEnd(44),
    median.toFixed(1).padStart(7),
    `${quartiles.map((ms) => ms.toFixed(1)).join('-')}`.padStart(13),
    `${ratio.toFixed(2)} x`.padStart(9),
    `${ratioQuartiles.map((one) => one.toFixed(2)).join('-')}`.padStart(11),
    cpu.toFixed(1).padStart(8),
    `${cpuRatio.toFixed(2)} x`.padStart(8),
  ].join(' '),
);
process.stdout.write(
  `${['whole process'.padEnd(44), ' median', '   quartiles', '    ratio', '  quartiles', '     cpu', '   ratio'].join(' ')}\n${rows.join('\n')}\n`,
);
process.stdout.write(
  `${rounds} rounds, milliseconds; the ratio is to \`node -e 0\` of the same round; cpu: mean processor time\n`,
);

// Memory of each flow, printed with these.
await import('./memory.js');
