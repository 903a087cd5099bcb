import type { Zone } from '../../core/records.js';
import { asObject, type JsonObject, parseJson } from '../../core/text/json.js';
import { documentRequest } from '../../oauth/discovery-document.js';
import type { ExaminePorts } from '../ports.js';
import { headerValues, type SeenExchange } from '../seen-http.js';

/** A metadata document at one of the addresses where it may be. */
export interface FoundDocument {
  readonly url: string;
  readonly object: JsonObject;
  /** Its Content-Type; '' where there is none. */
  readonly type: string;
}

/** What is published at these addresses, as JSON objects; each address is asked once in a run. */
export async function documentsAt(
  { http }: Pick<ExaminePorts, 'http'>,
  { urls, zone, signal }: { readonly urls: readonly string[]; readonly zone: Zone; readonly signal: AbortSignal },
): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = [];
  for (const url of urls) {
    const document = documentIn(await http.see(documentRequest({ url, zone, signal })));
    if (document !== undefined) found.push({ url, ...document });
  }
  return found;
}

function documentIn({ response }: SeenExchange): Omit<FoundDocument, 'url'> | undefined {
  if (response?.status !== 200 || response.broken !== undefined) return undefined;
  const parsed = parseJson(new Uint8Array(response.bytes));
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  return object && { object, type: headerValues(response, 'content-type')[0] ?? '' };
}

/** Whether two documents say the same in these members. */
export function sayTheSame(one: JsonObject, other: JsonObject, members: readonly string[]): boolean {
  return members.every((name) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null));
}

/** Is it JSON by its type? */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type.trim());
}
