import type { LoginRecord } from '../core/records.js';
import type { JsonObject } from '../core/text/json.js';

/** A protocol session with a server, while it is open. */
export interface ServerSession {
  /** A request's result. @throws Failure of the request */
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/**
 * A session with the server of a login for `ask`, with nobody asked for anything; `app` joins it to `call/`.
 * @throws Failure of the token, the connection, and what `ask` throws
 */
export type AskServer = <Result>(
  asked: { readonly login: LoginRecord; readonly signal: AbortSignal },
  ask: (session: ServerSession) => Promise<Result>,
) => Promise<Result>;

/** Pages of one list, where no configuration says otherwise. */
const usualPages = 100;

/** Why a list was not read to its end. */
export interface ListCut {
  /** Follows a colon. */
  readonly why: string;
  /** Does the server break the protocol? */
  readonly isFault: boolean;
}

/**
 * Reads the pages of a list: a server may send a cursor a second time, or have no last page.
 * @param page Asks for one page; undefined where none came, which ends the list.
 * @returns undefined for a list that was read to its end
 */
export async function readPages(
  page: (at: { readonly cursor?: string }) => Promise<JsonObject | undefined>,
  maxPages = usualPages,
): Promise<ListCut | undefined> {
  const seen = new Set<string>();
  let at: { readonly cursor?: string } = {};
  for (;;) {
    const cursor = (await page(at))?.['nextCursor'] ?? undefined;
    if (cursor === undefined) return undefined;
    if (typeof cursor !== 'string')
      return { why: 'the server’s cursor for the next page is not a string', isFault: true };
    if (seen.has(cursor)) return { why: 'the server sent the same page cursor twice', isFault: true };
    seen.add(cursor);
    if (seen.size === maxPages) return { why: `it has more than ${maxPages} pages`, isFault: false };
    at = { cursor };
  }
}

/** The member that holds the entries of a list, by method. */
export const listMembers: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

/** The result of a request; the pages of a list are put together. @throws as `page` */
export async function allPages(
  method: string,
  page: (at: { readonly cursor?: string }) => Promise<JsonObject>,
  maxPages: number,
): Promise<{ readonly result: JsonObject; readonly cut: ListCut | undefined }> {
  const member = listMembers.get(method);
  if (member === undefined) return { result: await page({}), cut: undefined };
  const pages: JsonObject[] = [];
  const read = async (at: { readonly cursor?: string }) => pages[pages.push(await page(at)) - 1];
  const cut = await readPages(read, maxPages);
  const [first = {}] = pages;
  if (pages.length === 1) return { result: first, cut };
  const entries = pages.flatMap((one) => (Array.isArray(one[member]) ? one[member] : []));
  // A server that ignores the cursor sends the same page twice.
  const once = cut?.isFault ? [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()] : entries;
  const { nextCursor: _cursor, ...rest } = first;
  return { result: { ...rest, [member]: once, ...(cut && { nextCursor: pages.at(-1)?.['nextCursor'] ?? null }) }, cut };
}
