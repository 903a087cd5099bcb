import type { PlainJson } from '../formats/text.js';
import type { ByUrl, EntryRequest } from './program.js';

/** How a program writes down a server that it reaches by a URL. */
export interface UrlForm {
  /** The member that holds the URL. */
  readonly member: string;
  /** What else such an entry holds, by what is there. */
  fixed?(found: Readonly<Record<string, unknown>>, request: EntryRequest): Readonly<Record<string, PlainJson>>;
}

/**
 * @param path Where the entry stands in the file.
 * @param valueAt What stands there now.
 */
export function byUrl(
  format: 'json' | 'toml' | 'yaml',
  { member, fixed }: UrlForm,
  path: (request: EntryRequest) => readonly string[],
  valueAt: (text: string, path: readonly string[]) => unknown,
): ByUrl {
  return (request, address) => {
    const at = path(request);
    const found = valueAt(request.text, at);
    const there = (typeof found === 'object' && found !== null ? found : {}) as Readonly<Record<string, unknown>>;
    const members = { ...fixed?.(there, request), [member]: address };
    return { key: { format, path: at }, holds: { members, without: [] } };
  };
}
