import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { launcher } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { measure, type Program } from './paired.js';

// `postern token` as a whole process, against `node -e 0` of the same Node.js: one line. Printed, not asserted.
const [node = process.execPath, rounds = '20'] = process.argv.slice(2);

await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
const expiresAt = Date.now() + 3_600_000;
await storeLogin(home, {
  server: 'https://mcp.example/mcp',
  name: 'work',
  accessToken: 'token-of-the-bench',
  expiresAt,
});
const own = (args: readonly string[], prints: RegExp): Program => ({
  name: args.join(' '),
  command: [node, launcher, ...args],
  env: home.env,
  prints,
});
const programs: readonly Program[] = [
  { name: 'node -e 0', command: [node, '-e', '0'], env: home.env, prints: /^$/ },
  own(['token', 'work'], /^token-of-the-bench\n$/),
  own(['status'], /mcp\.example/),
];
const rows = measure(programs, Number(rounds)).slice(1);
const said = rows.map(
  ({ name, ratio, cpuRatio }) => `${name} ${ratio.toFixed(2)} (processor time ${cpuRatio.toFixed(2)})`,
);
process.stdout.write(`times node -e 0: ${said.join(', ')}\n`);
