import type { JsonObject } from '../core/text/json.js';
import { readPages } from '../mcp/server-session.js';

/** The member that holds the entries of a list, by method. */
export const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

interface Paging {
  readonly method: string;
  readonly maxPages: number;
  readonly tell: (line: string) => void;
}

/** The result of a request; the pages of a list are put together. @throws as `request` */
export async function allPages(
  request: (more: JsonObject) => Promise<JsonObject>,
  { method, maxPages, tell }: Paging,
): Promise<JsonObject> {
  const member = Object.hasOwn(lists, method) ? lists[method] : undefined;
  if (member === undefined) return request({});
  const pages: JsonObject[] = [];
  const cut = await readPages(async (at) => {
    const page = await request(at);
    pages.push(page);
    return page;
  }, maxPages);
  const more = cut?.isFault ? '' : ' To read more, raise callPages in the configuration: postern config';
  if (cut !== undefined) tell(`The list is incomplete: ${cut.why}.${more}`);
  const [first = {}] = pages;
  if (pages.length === 1) return first;
  const entries = pages.flatMap((page) => (Array.isArray(page[member]) ? page[member] : []));
  // A server that ignores the cursor sends the same page twice.
  const once = cut?.isFault ? [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()] : entries;
  const { nextCursor: _cursor, ...rest } = first;
  return { ...rest, [member]: once, ...(cut && { nextCursor: pages.at(-1)?.['nextCursor'] ?? null }) };
}
