import type { Failure } from '../../core/failure.js';
import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { timeLimit } from '../../core/time.js';
import type { EngineAddress } from './address.js';
import type { EngineCredentials } from './credentials.js';
import type { CommitResult, EngineCommit, EngineEntry, SharedEngine } from './engine.js';
import { EtcdGateway, NoEtcdResponse } from './etcd-gateway.js';
import { engineUnusable } from './failures.js';
import type { EnginePorts } from './ports.js';

const maxListed = 10_000;

/** Keys in one request: etcd takes 128 as it comes, and so many of the largest items make a response that we take. */
const maxAtOnce = 64;

/** etcd 3.4 and later, by its JSON gateway. It writes to disk before it responds, by itself. */
export class EtcdEngine implements SharedEngine {
  readonly label: string;
  readonly #gateway: EtcdGateway;

  constructor(
    address: Extract<EngineAddress, { engine: 'etcd' }>,
    credentials: EngineCredentials | undefined,
    ports: EnginePorts,
  ) {
    this.label = address.label;
    this.#gateway = new EtcdGateway(address, credentials, ports);
  }

  async read(keys: readonly string[], signal: AbortSignal): Promise<readonly (EngineEntry | undefined)[]> {
    const found: (EngineEntry | undefined)[] = [];
    let revision: string | undefined;
    for (let at = 0; at < keys.length; at += maxAtOnce) {
      const part = keys.slice(at, at + maxAtOnce);
      // Of one revision, that of the first; ranges alone, which users may do who may only read.
      const of = revision === undefined ? {} : { revision };
      const success = part.map((key) => ({ request_range: { key: encoded(key), ...of } }));
      const response = await this.#look('kv/txn', { success }, 'to read', signal);
      const ranges = list(response['responses']).map((one) => asObject(one['response_range']) ?? {});
      if (ranges.length !== part.length) throw this.#strange();
      found.push(...ranges.map((range) => list(range['kvs']).map((one) => this.#entryOf(one))[0]));
      revision ??= stringField(asObject(response['header']) ?? {}, 'revision');
    }
    return found;
  }

  async commit(commit: EngineCommit, signal: AbortSignal): Promise<CommitResult> {
    const leases: string[] = [];
    let isKept = false;
    try {
      for (const { ttlMs } of commit.puts) leases.push(ttlMs === undefined ? '0' : await this.#grant(ttlMs, signal));
      const response = await this.#gateway.post('kv/txn', transaction(commit, leases), 'to write', signal);
      if (response['succeeded'] !== true) return { outcome: 'conflict' };
      isKept = true;
      const revision = stringField(asObject(response['header']) ?? {}, 'revision');
      if (revision === undefined) throw this.#strange();
      return { outcome: 'committed', revisions: commit.puts.map(() => revision) };
    } catch (error) {
      if (!(error instanceof NoEtcdResponse)) throw error;
      isKept = true; // it may be in use
      return { outcome: 'unknown', cause: error.failure };
    } finally {
      if (!isKept) await this.#revoke(leases.filter((lease) => lease !== '0'));
    }
  }

  async list(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
    const range = { key: encoded(prefix), range_end: endOf(prefix), keys_only: true, limit: String(maxListed) };
    const response = await this.#look('kv/range', range, 'to list', signal);
    return list(response['kvs']).map((one) => decoded(stringField(one, 'key')).toString());
  }

  durability(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** Seconds, at least one; etcd makes very short ones as long as two of its elections. */
  async #grant(ttlMs: number, signal: AbortSignal): Promise<string> {
    const ttl = String(Math.max(1, Math.ceil(ttlMs / 1000)));
    // A lease that nobody holds ends by itself: nothing is lost where no response came.
    const response = await this.#look('lease/grant', { TTL: ttl }, 'to write', signal);
    const id = stringField(response, 'ID');
    if (id === undefined) throw this.#strange();
    return id;
  }

  /** Of no consequence: each ends by itself. */
  async #revoke(leases: readonly string[]): Promise<void> {
    const soon = timeLimit(1000);
    for (const ID of leases) await this.#gateway.post('lease/revoke', { ID }, 'to write', soon).catch(() => undefined);
  }

  /** Where an idle connection turns out to be broken, it is taken once more. */
  async #look(path: string, body: object, asked: string, signal: AbortSignal): Promise<JsonObject> {
    for (let isSecond = false; ; isSecond = true) {
      try {
        return await this.#gateway.post(path, body, asked, signal);
      } catch (error) {
        if (!(error instanceof NoEtcdResponse)) throw error;
        if (isSecond || !error.isBroken) throw error.failure;
      }
    }
  }

  #entryOf(entry: JsonObject): EngineEntry {
    const revision = stringField(entry, 'mod_revision');
    if (revision === undefined) throw this.#strange();
    return { revision, value: decoded(stringField(entry, 'value')) };
  }

  #strange(): Failure {
    return engineUnusable(this.label, 'its response is none of etcd 3.4 or later');
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** A condition on a key that is not there: it was never changed. */
function transaction({ onlyIf, puts, removes }: EngineCommit, leases: readonly string[]): object {
  return {
    compare: onlyIf.map(({ key, revision = '0' }) => ({
      key: encoded(key),
      target: 'MOD',
      result: 'EQUAL',
      mod_revision: revision,
    })),
    success: [
      ...removes.map((key) => ({ request_delete_range: { key: encoded(key) } })),
      ...puts.map(({ key, value }, at) => ({
        request_put: { key: encoded(key), value: Buffer.from(value).toString('base64'), lease: leases[at] ?? '0' },
      })),
    ],
  };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Absent for an empty one. */
function decoded(text = ''): Buffer {
  return Buffer.from(text, 'base64');
}

/** The first name after all that begin so; names are ASCII. */
function endOf(prefix: string): string {
  const bytes = Buffer.from(prefix);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes.toString('base64');
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
}
