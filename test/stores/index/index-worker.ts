import { createKeychain } from '../../../src/stores/keychain/keychain.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import { createCredentialIndex, defaultLimits, Secret } from '../../support/product.js';
import { realClock } from '../state/real-clock.js';
import { loginNamed } from './sample-login.js';

// A process of the tests with many: `<state folder> <name> <times>` adds so many logins to the index, and prints the
// key of each once it is there. With `keychain` as a fourth word each one's secret is written before.

const [directory = '', name = '', times = '1', withKeychain] = process.argv.slice(2);
const index = createCredentialIndex({
  directory,
  locks: createLocks({ directory: `${directory}/locks`, clock: realClock }),
});
const keychain = createKeychain({
  platform: process.platform,
  env: process.env,
  clock: realClock,
  interactive: false,
  notify: () => undefined,
  // Thirty at once on a machine with two processors: not a test of how long that takes.
  limits: { ...defaultLimits, storeSeconds: 60 },
});

for (let time = 0; time < Number(times); time += 1) {
  const login = loginNamed(`${name}-${time}`);
  if (withKeychain === 'keychain') {
    await keychain.write(login.key, new Secret(`secret of ${login.key}`));
  }
  await index.update((document) => ({ ...document, logins: [...document.logins, login] }));
  process.stdout.write(`${login.key}\n`);
}
