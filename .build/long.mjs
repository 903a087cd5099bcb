// `npm run test:long`: what would take too long in `.ci/run`, though nothing that is not tested there, too: the tests of
// endurance at their greatest numbers, three times over, and property tests with ten times as many cases. Nightly, and before
// each release (.github/workflows/nightly.yml). About an hour on two processors.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = {
  ...process.env,
  POSTERN_REQUIRE_ALL: '1',
  POSTERN_ENDURANCE_RUNS: '20',
  POSTERN_ENDURANCE_KILLS: '100',
  POSTERN_ENDURANCE_BRIDGE_KILLS: '100',
  POSTERN_ENDURANCE_PROXY_KILLS: '50',
  POSTERN_ENDURANCE_REFRESH_KILLS: '200',
  POSTERN_ENDURANCE_FLEET_KILLS: '50',
  POSTERN_ENDURANCE_FLEET_PROCESSES: '25',
  POSTERN_ENDURANCE_PROPERTY_RUNS: '1000',
};

run('.build/check.mjs', '--tests');
for (let round = 1; round <= 3; round += 1) run('.build/test.mjs', '--no-build', 'endurance');

function run(script, ...args) {
  console.log(`\n${script} ${args.join(' ')}`);
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exitCode = 1;
}
