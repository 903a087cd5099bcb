import { ignoreFailure } from '../../core/failure.js';
import { asObject, type JsonObject, type JsonValue, parseObject, stringField } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import type { ServerSession } from '../../mcp/server-session.js';

/** Names that servers give to the tool that tells who its caller is, in plain form; the best first. */
const names = ['whoami', 'getme', 'me', 'currentuser', 'getcurrentuser', 'getauthenticateduser', 'getself', 'userinfo'];

/** Members that name a person, the best first. */
const members = [
  'email',
  'login',
  'preferred_username',
  'username',
  'userName',
  'displayName',
  'name',
  'subject',
  'sub',
  'id',
] as const;

const maxLength = 120;

/** A tool that tells who its caller is: one of the usual names, marked read-only, that takes no argument it insists on. */
export function whoamiTool(tools: readonly JsonValue[]): string | undefined {
  const fitting = tools.flatMap((value) => {
    const tool = asObject(value) ?? {};
    const name = stringField(tool, 'name') ?? '';
    const rank = names.indexOf(name.toLowerCase().replace(/[_\-./]/g, ''));
    const { required } = asObject(tool['inputSchema']) ?? {};
    const isFree = required === undefined || (Array.isArray(required) && required.length === 0);
    const isReadOnly = asObject(tool['annotations'])?.['readOnlyHint'] === true;
    return rank !== -1 && isFree && isReadOnly ? [{ name, rank }] : [];
  });
  return fitting.toSorted((one, other) => one.rank - other.rank)[0]?.name;
}

/** Who the server says its caller is, from the result of such a tool: printable, on one line; undefined for nothing. */
export function identityIn(result: JsonObject): string | undefined {
  if (result['isError'] === true) return undefined;
  const content = Array.isArray(result['content']) ? result['content'].map(asObject) : [];
  const text = content.flatMap((one) => (one === undefined ? [] : (stringField(one, 'text') ?? [])))[0]?.trim() ?? '';
  const fields = asObject(result['structuredContent']) ?? parseObject(text);
  const said =
    fields === undefined ? text.split('\n')[0] : (memberIn(fields) ?? memberIn(asObject(fields['user']) ?? {}));
  return said === undefined || said === '' ? undefined : printable(said, maxLength);
}

function memberIn(object: JsonObject): string | undefined {
  return members
    .map((member) => object[member])
    .find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** What a server says of its caller and of itself. */
export interface ServerWords {
  /** Who its caller is; undefined where it does not say. */
  readonly says: string | undefined;
  /** How many tools it has; undefined where it has more than it lists at once. */
  readonly tools: number | undefined;
}

/**
 * Who the server says its caller is, where it has a tool for that, and how many tools it lists. Only that one tool is
 * called, and only where the server marks it read-only. Words of a server: shown as such, and taken by `switch` alone, among
 * the logins of that very server.
 * @throws Failure of the session, where it lists nothing
 */
export async function whatServerSays(session: ServerSession): Promise<ServerWords> {
  const { tools, nextCursor } = await session.request('tools/list', {});
  if (!Array.isArray(tools)) return { says: undefined, tools: undefined };
  const count = (nextCursor ?? null) === null ? tools.length : undefined;
  const name = whoamiTool(tools);
  if (name === undefined) return { says: undefined, tools: count };
  const result = await session.request('tools/call', { name, arguments: {} }).catch(ignoreFailure);
  return { says: result && identityIn(result), tools: count };
}
