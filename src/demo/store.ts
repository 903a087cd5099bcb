import { Failure } from '../errors/failure.js';
import type { SecretStore } from '../ports.js';
import { defaultLimits } from '../primitives/limits.js';
import { createClock } from '../system/clock.js';
import { createKeychain } from '../system/keychain/keychain.js';
import { keychainLimits } from '../system/keychain/limits.js';
import { createMemoryStore } from '../system/memory-store.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The keychain where there is one; else, and said aloud, a store that lasts as long as this process. */
export async function chooseStore(
  env: Environment,
  say: (line: string) => void,
): Promise<SecretStore | undefined> {
  const { platform } = process;
  const keychain = createKeychain({
    platform,
    env,
    clock: createClock(),
    interactive: false,
    notify: say,
    limits: keychainLimits(platform, defaultLimits),
  });
  try {
    await keychain.ready();
    say('The tokens of this demo go into your keychain, and are taken out of it at the end.');
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) {
      throw error;
    }
    const frame = '!'.repeat(78);
    say(frame);
    say(`!! NO KEYCHAIN HERE: ${error.message}`);
    say('!! This demo keeps its tokens in memory instead. postern itself never does that:');
    say(`!! it stops with exit code 7. ${error.remedy}`);
    say(frame);
    return createMemoryStore();
  }
}
