import { asObject, type JsonObject } from '../../core/text/json.js';
import { memberBytes } from '../../core/text/json-splice.js';
import type { Question } from './asked-request.js';
import { isOffered } from './input-rounds.js';
import { errorCode, jsonText, type MessageText, objectIn } from './message-text.js';

/** An error of 2025-11-25: pages are to be opened before the request is taken. The newer era asks for them. */
const pagesRequired = -32042;

const maxPages = 100;

/** The pages that such an error names, as questions; none for another response, and where the host takes no pages. */
export function pagesIn(
  response: MessageText,
  capabilities: JsonObject,
): ReadonlyMap<string, Pick<Question, 'method' | 'params'>> {
  const method = 'elicitation/create';
  const { text, message } = response;
  if (errorCode(response) !== pagesRequired || !isOffered(capabilities, method, 'url')) return new Map();
  const data = asObject(objectIn(text.subarray(message.errorAt, message.errorEnd))['data']);
  const named = Array.isArray(data?.['elicitations']) ? data['elicitations'].slice(0, maxPages) : [];
  return new Map(
    named.flatMap((one, at) => {
      const { elicitationId: _, ...page } = asObject(one) ?? {};
      return page['mode'] === 'url' ? [[String(at + 1), { method, params: jsonText(page) }] as const] : [];
    }),
  );
}

/** Whether each page was agreed to. */
export function areAccepted(
  responses: Uint8Array | undefined,
  response: MessageText,
  capabilities: JsonObject,
): boolean {
  const keys = [...pagesIn(response, capabilities).keys()];
  return keys.every((key) => objectIn(responses && memberBytes(responses, 0, key))['action'] === 'accept');
}
