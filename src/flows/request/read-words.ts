import type { Ports } from '../../ports.js';
import { collectBytes } from '../../primitives/collect-bytes.js';
import type { OutboundResponse } from '../../primitives/outbound.js';
import { serverWords } from '../../primitives/server-words.js';

/** Most that is read of a refusal, in bytes, and how long is waited for it, in milliseconds. */
const mostRead = 64 * 1024;
const patienceMs = 2_000;

/** What a response that is no success says about why; its body is read as far as that takes, and left to be disposed. */
export async function readWords(clock: Ports['clock'], response: OutboundResponse): Promise<string> {
  const all = (name: string) => response.headers.filter(([key]) => key === name).map(([, value]) => value);
  const challenges = all('www-authenticate');
  const [type = ''] = all('content-type');
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type.trim())) return serverWords({ challenges });
  const over = new AbortController();
  try {
    const tooLate = clock.sleep(patienceMs, over.signal).then(() => undefined);
    return serverWords({
      challenges,
      body: await Promise.race([collectBytes(response.body, mostRead, tooLarge), tooLate]),
    });
  } catch {
    return serverWords({ challenges }); // it broke off: the refusal itself is what counts
  } finally {
    over.abort();
  }
}

const tooLarge = (): Error => new Error('more than is looked at');
