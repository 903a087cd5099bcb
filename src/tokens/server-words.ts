import type { Clock } from '../core/ports.js';
import { collectBytes } from '../core/text/bytes.js';
import { within } from '../core/time.js';
import type { HttpResponse } from '../http/request.js';
import { bearerChallenge } from '../oauth/challenge.js';
import { errorWords } from '../oauth/leniency.js';

interface Refusal {
  readonly challenges: readonly string[];
  readonly body?: Uint8Array | undefined;
}

/**
 * What a server says about a refusal in its own words: the `error` and `error_description` of its Bearer challenge (RFC
 * 6750 section 3), else of a JSON body, be it an OAuth error, a problem (RFC 9457) or a JSON-RPC error. '' where it says
 * nothing. Untrusted: it is shown through `quoted` alone.
 */
export function serverWords(refusal: Refusal): string {
  const challenge = bearerChallenge(refusal.challenges);
  const said = challenge.kind === 'bearer' ? joined(challenge.error, challenge.errorDescription) : '';
  const isWhole = challenge.kind === 'bearer' && challenge.errorDescription !== undefined;
  if (isWhole || refusal.body === undefined) return said;
  const inBody = errorWords(refusal.body);
  return inBody.isPage ? said : joined(inBody.error, inBody.said) || said;
}

function joined(what: string | undefined, why: string | undefined): string {
  return [what, why].filter((text) => text !== undefined && text !== '').join(': ');
}

/** Most that is read of a refusal, in bytes, and how long is waited for it, in milliseconds. */
const maxRead = 64 * 1024;

const patienceMs = 2_000;

/** What a response that is no success says about why; its body is read as far as that takes, and left to be disposed. */
export async function readWords(clock: Clock, response: HttpResponse): Promise<string> {
  return serverWords(await readRefusal(clock, response));
}

export async function readRefusal(clock: Clock, response: HttpResponse): Promise<Refusal> {
  const all = (name: string) => response.headers.filter(([key]) => key === name).map(([, value]) => value);
  const challenges = all('www-authenticate');
  const [type = ''] = all('content-type');
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type.trim())) return { challenges };
  try {
    return { challenges, body: await within(clock, patienceMs, collectBytes(response.body, maxRead, tooLarge)) };
  } catch {
    return { challenges }; // it broke off: the refusal itself is what counts
  }
}

const tooLarge = (): Error => new Error('more than is looked at');
