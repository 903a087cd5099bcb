import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Jwk } from './authorization-server/keys.js';
import type { KeptRecords, Shelf } from './authorization-server/memory.js';
import { sandboxStateUnreadable, sandboxStateUnusable } from './failures.js';

const record = z.tuple([z.string(), z.looseObject({}), z.number().nullable()]);

const keySchema = z.looseObject({ kid: z.string(), alg: z.string() });

const stateSchema = z.object({
  version: z.literal(1),
  ports: z.object({ server: z.number().int(), authorization: z.number().int() }),
  keys: z.array(keySchema),
  records: z.record(z.string(), z.array(record)),
});

type State = z.infer<typeof stateSchema>;

type KeptRecord = z.infer<typeof record>;

/** What an earlier sandbox kept. */
const readState = (text: string): State => stateSchema.parse(JSON.parse(text));

/** What a client still needs after a restart; codes and pages under way are not among it. */
const keptKinds: ReadonlySet<string> = new Set(['Client', 'Grant', 'RefreshToken']);

/** What a sandbox begins with: its addresses, since clients know it by them, and its signing keys. */
export type Beginning = Pick<State, 'ports' | 'keys'>;

/**
 * What a sandbox keeps in a folder of its own, for the next one that is started on it: ports, signing keys, clients, grants
 * and the hashes of refresh tokens. It is one file, replaced as a whole, that nobody else on this machine can read.
 */
export class StateFolder implements KeptRecords {
  readonly #file: string;
  #state: State | undefined;
  #writing: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  private constructor(file: string, state: State | undefined) {
    this.#file = file;
    this.#state = state;
  }

  /**
   * Makes the folder, where it is missing, and reads what is there.
   * @throws Failure `sandbox_state_unusable` where others may enter it, or nobody may; `sandbox_state_unreadable`
   */
  static async open(folder: string): Promise<StateFolder> {
    const file = join(folder, 'sandbox.json');
    try {
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await chmod(folder, 0o700);
      const found = await stat(folder);
      if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) throw sandboxStateUnusable(folder, undefined);
      return new StateFolder(file, parsed(file, await readFile(file, 'utf8')));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return new StateFolder(file, undefined);
      if (error instanceof Error && 'syscall' in error) throw sandboxStateUnusable(folder, code ?? '');
      throw error;
    }
  }

  /** What an earlier run began with. */
  get beginning(): Beginning | undefined {
    return this.#state;
  }

  /** Keeps what this run begins with. @throws Failure `sandbox_state_unusable` */
  async begin(server: number, authorization: number, signing: readonly Jwk[]): Promise<void> {
    const records = this.#state?.records ?? {};
    this.#state = { version: 1, ports: { server, authorization }, keys: signing.map((key) => ({ ...key })), records };
    await this.#written();
  }

  *load(kind: string): ReturnType<KeptRecords['load']> & Generator {
    for (const [id, payload, until] of this.#state?.records[kind] ?? []) {
      yield [id, { payload, until: until ?? Number.POSITIVE_INFINITY }];
    }
  }

  async save(kind: string, shelf: Shelf): Promise<void> {
    if (!keptKinds.has(kind) || this.#state === undefined) return;
    const records = [...shelf].map(
      ([id, { payload, until }]): KeptRecord => [id, { ...payload }, Number.isFinite(until) ? until : null],
    );
    this.#state = { ...this.#state, records: { ...this.#state.records, [kind]: records } };
    await this.#written();
  }

  /** Resolves when the state of now is on disk: changes that come while it is written share the next writing. */
  #written(): Promise<void> {
    this.#waiting ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#waiting = undefined;
        this.#writing = replaceFile(this.#file, JSON.stringify(this.#state));
        return this.#writing;
      });
    return this.#waiting;
  }
}

function parsed(file: string, text: string): State {
  try {
    return readState(text);
  } catch (error) {
    throw sandboxStateUnreadable(file, error);
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  try {
    {
      await using handle = await open(fresh, 'wx', 0o600);
      await handle.writeFile(text);
      await handle.sync();
    }
    await rename(fresh, file);
  } catch (error) {
    throw sandboxStateUnusable(file, (error as NodeJS.ErrnoException).code ?? '');
  }
}
