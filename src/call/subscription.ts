import { Failure, isFailure } from '../core/failure.js';
import { asObject, type JsonObject } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { textsIn } from '../mcp/eras.js';
import type { Conversation } from './conversation.js';

/** The first notification of a subscription: what the server agrees to. */
export const acknowledged = 'notifications/subscriptions/acknowledged';

/**
 * Follows all that a server of the newer era tells by itself, and those resources (basic/patterns/subscriptions). Resolves
 * once it tells no more, to why; to nothing where it ended well or its stream broke.
 * @throws the signal's reason
 */
export async function subscribed(
  conversation: Conversation,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const notifications = { ...wanted, ...(uris.length > 0 && { resourceSubscriptions: [...uris] }) };
  try {
    await conversation.request('subscriptions/listen', { notifications });
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    if (isFailure(error, 'protocol_broken')) return undefined; // the stream broke
    return error;
  }
}

/** Lines on what was asked for and is not given. */
export function notGiven(uris: readonly string[], { notifications }: JsonObject): readonly string[] {
  const given = asObject(notifications) ?? {};
  const followed = textsIn(given['resourceSubscriptions']);
  const missing = uris.filter((uri) => !followed.includes(uri));
  const tellsNothing = followed.length === 0 && !Object.values(given).includes(true);
  return [
    ...missing.map((uri) => `The server does not tell when ${quoted(uri, 200)} changes.`),
    ...(tellsNothing ? ['The server has agreed to tell nothing of what was asked for.'] : []),
  ];
}
