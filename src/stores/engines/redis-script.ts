import type { EngineCommit } from './engine.js';

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
export function commitCommand({ onlyIf, puts, removes }: EngineCommit): (string | Buffer)[] {
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
