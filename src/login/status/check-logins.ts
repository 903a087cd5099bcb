import type { CommandOutput } from '../../core/command.js';
import { exitCode, Failure, ignoreFailure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import { asObject, type JsonObject, type JsonValue, parseObject, stringField } from '../../core/text/json.js';
import { counted, printable } from '../../core/text/printable.js';
import { Deadline } from '../../core/time.js';
import type { AskServer, ServerSession } from '../../mcp/server-session.js';
import type { StorePorts } from '../../stores/ports.js';
import { serverSilent } from '../failures.js';
import { failureJson } from './render.js';

/** What a server said to a login, asked just now. */
export interface CheckedLogin {
  readonly state: 'ok' | 'login_needed' | 'refused' | 'unreachable' | 'failed';
  /** Until the session was open, a refresh included; undefined where none was. */
  readonly milliseconds: number | undefined;
  readonly failure: Failure | undefined;
  /** Who the server says the caller is; undefined where it was not asked, or does not say. */
  readonly says: string | undefined;
  /** How many tools it has, as it said just now or within a day; undefined where that is not known. */
  readonly tools: number | undefined;
}

export interface CheckWorld
  extends Pick<CommandOutput, 'signal'>,
    Pick<CorePorts, 'clock' | 'progress'>,
    Pick<StorePorts, 'toolLists'> {
  readonly askServer: AskServer;
}

const maxAtOnce = 8;

const checkSeconds = 15;

/**
 * Asks the server of each login with a valid token, which is refreshed where it has to be; no person is asked.
 * @returns By the key of the login.
 * @param asksWho Whether the server is asked who the caller is, where that is not known otherwise.
 */
export async function checkLogins(
  world: CheckWorld,
  logins: readonly LoginRecord[],
  asksWho: (login: LoginRecord) => boolean,
): Promise<ReadonlyMap<string, CheckedLogin>> {
  const checked = new Map<string, CheckedLogin>();
  const waiting = [...logins];
  const work = async () => {
    for (let login = waiting.shift(); login !== undefined; login = waiting.shift()) {
      checked.set(login.key, await checkLogin(world, login, asksWho(login)));
    }
  };
  world.progress.begin(`Asking ${counted(logins.length, 'server')}`);
  try {
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, logins.length) }, work));
  } finally {
    world.progress.end();
  }
  return checked;
}

async function checkLogin(world: CheckWorld, login: LoginRecord, asksWho: boolean): Promise<CheckedLogin> {
  const { askServer, clock, toolLists } = world;
  const started = clock.monotonic();
  let milliseconds: number | undefined;
  using deadline = new Deadline(checkSeconds * 1000, () => serverSilent(login.server, checkSeconds));
  const signal = AbortSignal.any([world.signal, deadline.signal]);
  try {
    const words = await askServer({ login, signal }, async (session) => {
      milliseconds = Math.round(clock.monotonic() - started);
      return asksWho ? await whatServerSays(session).catch(ignoreFailure) : undefined;
    });
    // As it was listed within a day: no request is made for that.
    const list = words?.tools === undefined ? await toolLists.read(login.key, clock.now()) : undefined;
    const tools = words?.tools ?? (list?.isWhole === true ? list.tools.length : undefined);
    return { state: 'ok', milliseconds, failure: undefined, says: words?.says, tools };
  } catch (error) {
    if (!(error instanceof Failure) || world.signal.aborted) throw error;
    // It was open: what went wrong behind that says nothing of the login.
    const nothing = { milliseconds, says: undefined, tools: undefined };
    return milliseconds !== undefined
      ? { state: 'ok', failure: undefined, ...nothing }
      : { state: stateOf(error), failure: error, ...nothing };
  }
}

function stateOf({ code, exit }: Failure): CheckedLogin['state'] {
  if (code === 'token_refused' || exit === exitCode.refused) return 'refused';
  if (exit === exitCode.loginNeeded) return 'login_needed';
  return exit === exitCode.network ? 'unreachable' : 'failed';
}

/** As a command that has asked them ends: 3 where one needs a person, 6 where one is not reached, else as the first failed. */
export function exitAfter(checked: Iterable<CheckedLogin>): number {
  const all = [...checked];
  const has = (...states: readonly CheckedLogin['state'][]) => all.some(({ state }) => states.includes(state));
  if (has('login_needed', 'refused')) return exitCode.loginNeeded;
  if (has('unreachable')) return exitCode.network;
  return all.find(({ failure }) => failure !== undefined)?.failure?.exit ?? 0;
}

/** Names that servers give to the tool that tells who its caller is, in plain form; the best first. */
const names = ['whoami', 'getme', 'me', 'currentuser', 'getcurrentuser', 'getauthenticateduser', 'getself', 'userinfo'];

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
function whoamiTool(tools: readonly JsonValue[]): string | undefined {
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
function identityIn(result: JsonObject): string | undefined {
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

/**
 * Who the server says its caller is, where it has a tool for that, and how many tools it lists. Only that one tool is
 * called, and only where the server marks it read-only. Words of a server: shown as such, and taken by `switch` alone, among
 * the logins of that very server.
 * @throws Failure of the session, where it lists nothing
 */
export async function whatServerSays(session: ServerSession): Promise<Pick<CheckedLogin, 'says' | 'tools'>> {
  const { tools, nextCursor } = await session.request('tools/list', {});
  if (!Array.isArray(tools)) return { says: undefined, tools: undefined };
  const count = (nextCursor ?? null) === null ? tools.length : undefined;
  const name = whoamiTool(tools);
  if (name === undefined) return { says: undefined, tools: count };
  const result = await session.request('tools/call', { name, arguments: {} }).catch(ignoreFailure);
  return { says: result && identityIn(result), tools: count };
}

/** A server that has taken the login: how long that took, and how many tools it has where that is known. */
export function okInWords({ milliseconds = 0, tools }: Pick<CheckedLogin, 'milliseconds' | 'tools'>): string {
  return `ok, ${milliseconds} ms${tools === undefined ? '' : `, ${counted(tools, 'tool')}`}`;
}

export function checkedJson(checked: CheckedLogin | undefined): Readonly<Record<string, unknown>> | null {
  if (checked === undefined) return null;
  const { state, milliseconds = null, failure, says = null, tools = null } = checked;
  return { state, milliseconds, tools, failure: failure === undefined ? null : failureJson(failure), serverSays: says };
}
