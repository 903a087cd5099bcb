import type { Scheduler } from 'fast-check';
import type {
  CommitResult,
  EngineCommit,
  EngineEntry,
  EnginePut,
  SharedEngine,
} from '../../../src/fleet/engine/redis.js';
import { digestOf, Items, sharedKeysOf } from '../../../src/fleet/shared/items.js';
import type { SeenWrites } from '../../../src/fleet/shared/shared-logins.js';
import { Failure } from '../../support/product.js';

/** What an engine, or what is between it and a machine, does at one act. */
export type Trouble = 'none' | 'response lost' | 'applied late' | 'request lost' | 'away' | 'leases end' | 'paused';

/** Steps of others for which something is late: enough for a whole refresh. */
const lateSteps = 20;

export const key = 'a'.repeat(64);

/** Faults that are planted: whose conditions do not count, or what is not kept. */
export const plantedFaults = ['nothing is compared', 'a write is not', 'a note is not', 'no note is kept'] as const;
export type Planted = (typeof plantedFaults)[number] | 'none';

/** Does it say of a refresh token that it was sent? */
const isNote = ({ key, ttlMs }: Pick<EnginePut, 'key' | 'ttlMs'>) => key.includes('/turn/') && ttlMs === undefined;

const unguarded: Readonly<Partial<Record<Planted, (put: EnginePut) => boolean>>> = {
  'nothing is compared': () => true,
  'a write is not': ({ key }) => key.includes('/access/'),
  'a note is not': isNote,
};

/** One engine; each act of a process is two steps that the scheduler orders: it is done, and its response comes. */
export class ModelEngine {
  readonly entries = new Map<string, EngineEntry & Pick<EnginePut, 'ttlMs'>>();
  readonly #scheduler: Scheduler;
  readonly #troubles: Iterator<Trouble>;
  readonly #planted: Planted;
  #revision = 0;
  #isCalm = false;

  constructor(scheduler: Scheduler, troubles: Iterator<Trouble>, planted: Planted) {
    this.#scheduler = scheduler;
    this.#troubles = troubles;
    this.#planted = planted;
  }

  /** @param live Throws once the process is killed. */
  for(live: () => void): SharedEngine {
    return {
      label: 'the model',
      read: async (keys) => {
        await this.#step(live, 'read');
        const found = keys.map((one) => this.entries.get(one));
        await this.#step(live, 'response');
        return found;
      },
      commit: (commit) => this.#commit(commit, live),
      list: async () => [...this.entries.keys()],
      durability: async () => [],
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  async #commit(commit: EngineCommit, live: () => void): Promise<CommitResult> {
    await this.#step(live, 'commit');
    const trouble = this.#isCalm ? 'none' : (this.#troubles.next().value as Trouble);
    if (trouble === 'leases end' || trouble === 'paused') this.#endLeases();
    if (trouble === 'paused') await this.#late();
    live();
    if (trouble === 'away') {
      throw new Failure({ code: 'store_unavailable', exit: 7, message: 'It is away.', remedy: 'Try again.' });
    }
    if (trouble === 'request lost') return { outcome: 'unknown', cause: trouble };
    if (trouble === 'applied late') {
      void this.#late().then(() => this.#apply(commit));
      return { outcome: 'unknown', cause: trouble };
    }
    const result = this.#apply(commit);
    await this.#step(live, 'response');
    return trouble === 'response lost' ? { outcome: 'unknown', cause: trouble } : result;
  }

  #apply({ onlyIf, puts, removes }: EngineCommit): CommitResult {
    const holds = onlyIf.every(({ key, revision }) => this.entries.get(key)?.revision === revision);
    const isUnguarded = puts.some((put) => unguarded[this.#planted]?.(put));
    if (!holds && !isUnguarded) return { outcome: 'conflict' };
    for (const name of removes) this.entries.delete(name);
    const revisions = puts.map((put) => {
      const { key, value, ttlMs } = put;
      this.#revision += 1;
      if (this.#planted !== 'no note is kept' || !isNote(put)) {
        this.entries.set(key, { value, revision: `${this.#revision}`, ttlMs });
      }
      return `${this.#revision}`;
    });
    return { outcome: 'committed', revisions };
  }

  /** Does it say of a refresh token that it was sent? */
  get hasNote(): boolean {
    return [...this.entries].some(([key, { ttlMs }]) => isNote({ key, ttlMs }));
  }

  /** From now on its network works, and the leases of the dead have ended. */
  calm(): void {
    this.#isCalm = true;
    this.#endLeases();
  }

  /** Their time is over, whoever has them: he was paused, or his machine sleeps. */
  #endLeases(): void {
    for (const [name, { ttlMs }] of this.entries) if (ttlMs !== undefined) this.entries.delete(name);
  }

  async #late(): Promise<void> {
    for (let steps = 0; steps < lateSteps; steps += 1) await this.#scheduler.schedule(Promise.resolve(), 'late');
  }

  async #step(live: () => void, what: string): Promise<void> {
    live();
    await this.#scheduler.schedule(Promise.resolve(), what);
    live();
  }
}

/** An authorization server that takes each refresh token once. */
export class ModelIssuer {
  current = 0;
  replays = 0;

  refresh(sent: number): number | undefined {
    if (sent !== this.current) {
      this.replays += 1;
      return undefined;
    }
    this.current += 1;
    return this.current;
  }
}

/** What of a machine outlives its processes. */
export class ModelMachine {
  /** The response that was sealed, by the refresh token that it was got with. */
  readonly sealed = new Map<number, number>();
  newest = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** The lock between processes of one machine: that of a dead process is free, that of a paused one is not. */
  async locked<Value>(work: () => Promise<Value>): Promise<Value> {
    const before = this.#last;
    const done = before.then(work, work);
    this.#last = done;
    return await done;
  }
}

export function textOf(number: number, generation = 1): string {
  const binding = { server: 'https://s.example', resource: 'x', issuer: 'i', clientId: 'c', account: 'a' };
  const rest = { expiresAt: null, obtainedAt: number, scopes: [], generation };
  return JSON.stringify({ version: 2, binding, accessToken: `access-${number}`, refreshToken: `${number}`, ...rest });
}

export const numberIn = (text: string): number => Number(JSON.parse(text).refreshToken);

/** The newest write that a machine has seen. */
export function seenOn(machine: { newest: number }): SeenWrites {
  return {
    learn: async (_, revision) => {
      machine.newest = Math.max(machine.newest, revision);
    },
    forget: async () => undefined,
    newest: () => machine.newest,
  };
}

/** Both items as a login writes them. */
export function seed(engine: ModelEngine): void {
  const items = new Items(sharedKeysOf(Buffer.alloc(32, 1), Buffer.alloc(32, 2)), 'default');
  const { refreshToken, ...credential } = JSON.parse(textOf(0)) as Record<string, never>;
  const put = (part: 'access' | 'refresh', item: object) => {
    const name = items.nameOf(key, part);
    engine.entries.set(name, { value: items.seal(name, item), revision: '0' });
  };
  const access = { pair: 'first', generation: 1, credential: { ...credential, refreshToken: null } };
  put('access', access);
  put('refresh', { pair: 'first', of: digestOf(access), isReusable: false, hidden: { refreshToken } });
}

/** The refresh token that the engine has. */
export function inEngine(engine: ModelEngine): number {
  const items = new Items(sharedKeysOf(Buffer.alloc(32, 1), Buffer.alloc(32, 2)), 'default');
  const name = items.nameOf(key, 'refresh');
  const entry = engine.entries.get(name);
  const item = entry && items.open(name, entry.value);
  if (typeof item !== 'object') return Number.NaN;
  return Number((item['hidden'] as { readonly refreshToken: string }).refreshToken);
}
