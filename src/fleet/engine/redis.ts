import { isFailure, systemCode } from '../../core/failure.js';
import { engineEntryForeign } from '../failures.js';
import { type EngineAddress, type EngineCredentials, parseEngineAddress, readEngineCredentials } from './address.js';
import { type EnginePorts, NoResponse, RedisConnection, type RedisReply } from './redis-connection.js';

/** A value as the engine has it. */
export interface EngineEntry {
  readonly value: Uint8Array;
  /**
   * A decimal number that grows with every write of this key and never comes back, not even after a removal (a
   * counter). It is the fencing number, too.
   */
  readonly revision: string;
}

/** One atomic step: all of it, or nothing. */
export interface EngineCommit {
  /** All must hold, or nothing is written: the key has this revision; undefined: it is not there. */
  readonly onlyIf: readonly { readonly key: string; readonly revision: string | undefined }[];
  readonly puts: readonly EnginePut[];
  /** A key that is not there is no matter. No key is both put and removed. */
  readonly removes: readonly string[];
}

export interface EnginePut {
  readonly key: string;
  readonly value: Uint8Array;
  /** The engine removes it after so long, by its own clock; undefined: never. */
  readonly ttlMs?: number | undefined;
}

/** `unknown`: it was sent, and no response came (cut, restart, time-out). The caller reads again to find out. */
export type CommitResult =
  | { readonly outcome: 'committed' /** Of the puts, in their order. */; readonly revisions: readonly string[] }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/**
 * The engine at an address, such as `redis:rediss://cache.example:6380`. Nothing is connected to before the first act.
 * @throws Failure `engine_address_refused`, `engine_credentials_unusable`, `path_refused`
 */
export function openEngine(address: string, ports: EnginePorts): SharedEngine {
  const parsed = parseEngineAddress(address);
  const credentials = readEngineCredentials(ports.env);
  return new RedisEngine(parsed, credentials, ports);
}

const maxListed = 10_000;

/** Keys in one request: so many of the largest items make a response that we take. */
const maxAtOnce = 500;

/** Names looked at for a list: all that the database has, ours or not. */
const maxScanned = 5_000_000;
const scannedAtOnce = 5_000;

/**
 * Keeps the sealed items of logins that machines share: Redis 5 and later, or Valkey. Keys are ASCII. A value stands behind its
 * revision and a colon, so that one plain MGET reads both, for users who may do nothing else. Every wait ends: by the signal,
 * or by the time limit.
 */
class RedisEngine implements AsyncDisposable {
  /** For messages, printable: `Redis at cache.example:6380`. */
  readonly label: string;
  readonly #connection: RedisConnection;

  constructor(address: EngineAddress, credentials: EngineCredentials | undefined, ports: EnginePorts) {
    this.label = address.label;
    this.#connection = new RedisConnection(address, credentials, ports);
  }

  /** One consistent look at up to 500 keys, at more in pieces, by plain read commands. @throws Failure `store_unavailable`, `store_denied` */
  async read(keys: readonly string[], signal: AbortSignal): Promise<readonly (EngineEntry | undefined)[]> {
    const found: (EngineEntry | undefined)[] = [];
    for (let at = 0; at < keys.length; at += maxAtOnce) {
      const part = keys.slice(at, at + maxAtOnce);
      const isResponse = (reply: RedisReply): reply is readonly (Buffer | null)[] =>
        Array.isArray(reply) &&
        reply.length === part.length &&
        reply.every((one) => one === null || Buffer.isBuffer(one));
      const values = await this.#look(['MGET', ...part], 'to read', isResponse, signal);
      found.push(...part.map((key, index) => this.#entryOf(key, values[index] ?? null)));
    }
    return found;
  }

  /** @throws Failure `store_unavailable` where nothing was sent, `store_denied` where the engine refuses it to this user */
  async commit(commit: EngineCommit, signal: AbortSignal): Promise<CommitResult> {
    try {
      const revision = await this.#connection.send(commitCommand(commit), 'to write', isRevision, signal);
      if (revision === null) return { outcome: 'conflict' };
      return { outcome: 'committed', revisions: commit.puts.map(() => String(revision)) };
    } catch (error) {
      if (error instanceof NoResponse) return { outcome: 'unknown', cause: error.failure };
      throw error;
    }
  }

  /** Names that begin with it, sorted, at most 10,000. @throws Failure as `read` */
  async list(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
    const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
    const names = new Set<string>();
    let cursor = '0';
    for (let scanned = 0; scanned < maxScanned && names.size < maxListed; scanned += scannedAtOnce) {
      const scan = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(scannedAtOnce)];
      const [next, found] = await this.#look(scan, 'to list', isPage, signal);
      for (const name of found) names.add(String(name));
      cursor = String(next);
      if (cursor === '0') break;
    }
    return [...names]
      .filter((name) => !name.endsWith('/revision'))
      .sort()
      .slice(0, maxListed);
  }

  /**
   * Which of its settings can lose a write that it has acknowledged, as sentences; none where it writes before it responds. Where
   * its access rules hide them, a sentence says so. @throws Failure as `read`
   */
  async durability(signal: AbortSignal): Promise<readonly string[]> {
    const settings = new Map<string, string>();
    const unknown = (right: string) =>
      `${this.label} does not show this user its settings (${right}): whether it can lose what it has acknowledged is not known.`;
    for (const pattern of ['append*', 'maxmemory*']) {
      const said = await this.#settings(['CONFIG', 'GET', pattern], isList, signal);
      if (said === undefined) return [unknown('+config|get')];
      const words = said.map(String);
      for (let at = 0; at + 1 < words.length; at += 2) settings.set(words[at] ?? '', words[at + 1] ?? '');
    }
    const dryRun = await this.#settings(
      ['ACL', 'DRYRUN', 'default', 'SET', 'postern/default/x/access', '1'],
      isText,
      signal,
    );
    return [...this.#risks(settings), ...(String(dryRun ?? 'OK') === 'OK' ? [] : [this.#replayRisk()])];
  }

  /** Undefined: it shows them to nobody, or not to this user. */
  async #settings<Reply extends RedisReply>(
    command: readonly string[],
    isResponse: (reply: RedisReply) => reply is Reply,
    signal: AbortSignal,
  ): Promise<Reply | undefined> {
    try {
      return await this.#look(command, 'to see its settings', isResponse, signal);
    } catch (error) {
      if (isFailure(error, 'store_denied') || isUnknownCommand(error)) return undefined;
      throw error;
    }
  }

  /** Redis 7.0 to 8.2 (redis issue 14541) and Valkey of these times (valkey issue 3983). */
  #replayRisk(): string {
    return `${this.label} may lose at a restart what was written in one step, all tokens among it, since its user "default" has no rights, with which its log is read. Set: user default off ~* &* +@all.`;
  }

  #risks(settings: ReadonlyMap<string, string>): readonly string[] {
    const [sync, isLogged] = [settings.get('appendfsync'), settings.get('appendonly') === 'yes'];
    const policy = settings.get('maxmemory-policy') ?? 'noeviction';
    const isBounded = (settings.get('maxmemory') ?? '0') !== '0';
    const risks: readonly (readonly [boolean, string])[] = [
      [
        !isLogged,
        'keeps no log of its writes (appendonly no): a restart loses what came after the last snapshot. Set: appendonly yes, appendfsync always.',
      ],
      [
        isLogged && sync !== 'always',
        `responds before it has written (appendfsync ${sync}): a crash can lose a refresh token for good. Set: appendfsync always.`,
      ],
      [
        isBounded && policy !== 'noeviction',
        `throws logins away when its memory is full (maxmemory-policy ${policy}). Set: maxmemory-policy noeviction.`,
      ],
    ];
    return risks.filter(([is]) => is).map(([, what]) => `${this.label} ${what}`);
  }

  #entryOf(key: string, value: Buffer | null): EngineEntry | undefined {
    if (value === null) return undefined;
    const colon = value.indexOf(0x3a);
    if (colon < 1 || colon > 20) throw engineEntryForeign(this.label, key);
    const revision = value.toString('latin1', 0, colon);
    if (!/^\d+$/.test(revision)) throw engineEntryForeign(this.label, key);
    return { revision, value: value.subarray(colon + 1) };
  }

  /** A look changes nothing: where an idle connection turns out to be broken, it is taken once more. */
  async #look<Reply extends RedisReply>(
    command: readonly string[],
    asked: string,
    isResponse: (reply: RedisReply) => reply is Reply,
    signal: AbortSignal,
  ): Promise<Reply> {
    for (let isSecond = false; ; isSecond = true) {
      try {
        return await this.#connection.send(command, asked, isResponse, signal);
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        if (isSecond || !error.isBroken) throw error.failure;
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }
}

export type SharedEngine = Pick<RedisEngine, keyof RedisEngine>;

const isList = (reply: RedisReply): reply is readonly RedisReply[] => Array.isArray(reply);

const isText = (reply: RedisReply): reply is Buffer | string => typeof reply === 'string' || Buffer.isBuffer(reply);

/** Of `SCAN`: the next cursor, and names. */
const isPage = (reply: RedisReply): reply is readonly [Buffer | string, readonly RedisReply[]] =>
  isList(reply) && reply.length === 2 && /^\d+$/.test(String(reply[0])) && isList(reply[1] ?? null);

/** Of the script that commits; nil where a condition does not hold. */
const isRevision = (reply: RedisReply): reply is Buffer | null =>
  reply === null || (Buffer.isBuffer(reply) && /^\d+$/.test(reply.toString('latin1')));

/** Of services that are run by others, some have no CONFIG. */
function isUnknownCommand(error: unknown): boolean {
  return isFailure(error, 'store_unavailable') && systemCode(error.cause) === 'ERR';
}

/**
 * One step, all or nothing: a script, not MULTI with WATCH. It is one request, where WATCH is three that have to have a
 * connection of their own; the engine checks a user's rights to each key that is named to it before it runs; and it is
 * what a cluster takes, as its keys lie in one slot. The rights are checked command by command, too, and what has been
 * written stays: so SET is tried at the number first, and DEL before anything is put.
 *
 * The fencing number of a folder of keys grows with each write, by the engine's clock at least: so it goes on growing
 * where a failover has lost some. KEYS: numbers, conditions, removes, puts.
 */
const commitScript = `
local counters, conditions, removes, puts = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
for i = 1, conditions do
  local value = redis.call('GET', KEYS[counters + i])
  local revision = value and (string.match(value, '^(%d+):') or '?') or ''
  if revision ~= ARGV[4 + i] then return false end
end
local time = redis.call('TIME')
local number = time[1] * 1000000 + time[2]
for i = 1, counters do
  number = math.max(number, (tonumber(redis.call('GET', KEYS[i]) or '') or 0) + 1)
end
local revision = string.format('%.0f', number)
for i = 1, counters do redis.call('SET', KEYS[i], revision) end
for i = 1, removes do redis.call('DEL', KEYS[counters + conditions + i]) end
for i = 1, puts do
  local key, value, ttl = KEYS[counters + conditions + removes + i], ARGV[3 + conditions + 2 * i], ARGV[4 + conditions + 2 * i]
  if ttl == '' then redis.call('SET', key, revision .. ':' .. value)
  else redis.call('SET', key, revision .. ':' .. value, 'PX', ttl) end
end
return revision
`;

/** The whole command, with the script in it: it is small, and asked for once in a refresh. */
function commitCommand({ onlyIf, puts, removes }: EngineCommit): (string | Buffer)[] {
  const conditions = onlyIf.map(({ key }) => key);
  const written = [...removes, ...puts.map(({ key }) => key)];
  const counters = [...new Set(written.map(counterOf))];
  const keys = [...counters, ...conditions, ...written];
  return [
    'EVAL',
    commitScript,
    String(keys.length),
    ...keys,
    ...[counters, conditions, removes, puts].map(({ length }) => String(length)),
    ...onlyIf.map(({ revision }) => revision ?? ''),
    ...puts.flatMap(({ value, ttlMs }) => [Buffer.from(value), ttlMs === undefined ? '' : String(Math.ceil(ttlMs))]),
  ];
}

/** Where the number of a key's folder is kept: in its slot, and by a name that the same rights hold for. */
function counterOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('/') + 1)}revision`;
}
