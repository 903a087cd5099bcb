import { join } from 'node:path';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { programCommand, runProgram, startCommand, startProgram } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';
import { measure, type Program } from './paired.js';

// `npm run bench:refresh [-- rounds]`: `token` that has to refresh, and `request`, as whole processes. Once with servers that
// respond at once, so that only our own time is measured, once with the sandbox, whose own work (its signature above all)
// is in the time. Tokens live so shortly that each `token` refreshes.
const rounds = Number(process.argv[2] ?? '40');

await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
const issuer = join(repositoryRoot, 'build', 'test', 'bench', 'bare-issuer.js');
await using bare = startCommand(process.execPath, [issuer], home);
const [address = ''] = await bare.waitForStdout(/^http\S+$/m);
const server = `${address}/mcp`;
const refresh = { token: 'first', endpoint: `${address}/token` };
await storeLogin(home, { server, name: 'bare', accessToken: 'first', expiresAt: 0, refresh });
await using sandbox = startProgram(home, ['sandbox', '--approve', '--lifetime', '5']);
const [sandboxServer = ''] = await sandbox.waitForStdout(/^http\S+$/m);
const login = await runProgram(home, ['login', sandboxServer, '--device', '--name', 'sandbox']);
if (login.code !== 0) throw new Error(login.stderr);

const { env } = home;
const own = (args: readonly string[], prints: RegExp): Program => ({
  name: `postern ${args.join(' ')}`,
  command: programCommand(args),
  env,
  prints,
});
const timings = measure(
  [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'], env, prints: /^$/ },
    own(['token', 'bare'], /^fresh\n$/),
    own(['request', server], /access_token/),
    own(['token', 'sandbox'], /^\S+\n$/),
  ],
  rounds,
);
for (const { name, median, quartiles, ratio, ratioQuartiles, cpu, cpuRatio } of timings) {
  const [low, high] = quartiles.map((ms) => ms.toFixed(1));
  const [from, to] = ratioQuartiles.map((one) => one.toFixed(2));
  process.stdout.write(
    `${name.padEnd(22)} ${median.toFixed(1).padStart(7)} ms (${low}-${high})  ${ratio.toFixed(2)} x (${from}-${to})  cpu ${cpu.toFixed(0)} (${cpuRatio.toFixed(2)} x)\n`,
  );
}
