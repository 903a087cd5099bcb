import { skipValue } from '../core/text/json-scan.js';
import { scanText } from '../mcp/scan-message.js';

/** Of each message in a text its result as it is spelled there; undefined where it has none. Copies. */
export function rawResults(text: Uint8Array): readonly (Uint8Array | undefined)[] {
  const scanned = scanText(text, true);
  if (typeof scanned === 'string') return [];
  return scanned.messages.map(({ kind, resultAt }) => {
    const end = kind === 'result' ? skipValue(text, resultAt) : -1;
    return end === -1 ? undefined : new Uint8Array(text.subarray(resultAt, end));
  });
}
