import { createKeychain } from '../../../src/stores/keychain/keychain.js';
import { openKeyring } from '../../../src/stores/keychain/secret-service-calls.js';
import { defaultLimits, Failure, Secret } from '../../support/product.js';
import { realClock } from '../state/real-clock.js';
import type { KeychainCommand, KeychainResult } from './keychain-session.js';

// A process that uses the keychain as commands on stdin say, one line of JSON each, and answers each with a line. Of
// its own because the package asks the bus that its process was started with.

const { platform = 'linux', interactive = false, limits = {} } = JSON.parse(process.argv[2] ?? '{}');
const notices: string[] = [];
const store = createKeychain({
  platform,
  interactive,
  env: process.env,
  clock: realClock,
  notify: (line) => notices.push(line),
  limits: { ...defaultLimits, ...limits },
});

async function perform({ operation, key = '', value = '' }: KeychainCommand): Promise<KeychainResult> {
  switch (operation) {
    case 'ready':
      await store.ready();
      return {};
    case 'read':
      return { value: (await store.read(key))?.reveal() };
    case 'write':
      await store.write(key, new Secret(value));
      return {};
    case 'remove':
      return { value: await store.remove(key) };
    case 'fast': {
      using keyring = await openKeyring(process.env);
      return { value: await keyring?.read(key) };
    }
  }
}

let text = '';
process.stdin.setEncoding('utf8');
for await (const piece of process.stdin) {
  text += piece;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
    const command = JSON.parse(text.slice(0, end)) as KeychainCommand;
    text = text.slice(end + 1);
    const result = await perform(command).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const { code, exit, message, remedy } = error;
      return { failure: { code, exit, message, remedy } };
    });
    process.stdout.write(`${JSON.stringify({ ...result, notices })}\n`);
  }
}
