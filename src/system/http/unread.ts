import type { Exchange } from './exchange.js';

/** What is read and dropped to save a connection: this much, this long. */
const worthReading = 64 * 1024;
const worthWaiting = 200;

/**
 * Ends an answer whose rest nobody wants. A short rest is read and dropped, so that the connection can
 * carry the next request; a stream, a long or a slow rest is cut off with its connection.
 */
export async function leaveUnread(exchange: Exchange, isStream: boolean): Promise<void> {
  if (exchange.ended) return;
  const cutOff = (): void => exchange.fail(new Error('The rest of the body is not wanted.'));
  if (isStream) return cutOff();
  const timer = setTimeout(cutOff, worthWaiting);
  try {
    let total = 0;
    for (let chunk = await exchange.next(); chunk !== undefined; chunk = await exchange.next()) {
      total += chunk.byteLength;
      if (total > worthReading) return cutOff();
    }
  } catch {
    // It ended in some other way, which nobody wants to know any more.
  } finally {
    clearTimeout(timer);
  }
}
