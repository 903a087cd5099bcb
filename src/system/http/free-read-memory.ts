/** Bytes that are read between one time and the next. */
const every = 4 * 1024 * 1024;
/** What was made of one large message is looked for, too, before the next has come: every so many times. */
const timesToMajor = 4;

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/**
 * Each read of a connection lies in memory of its own, 64 KiB of it, which few objects stand for: the engine's collector
 * counts those and would come after 30 MiB, or 60. Here it is called in time; with so little to look at it takes a millisecond.
 */
export class ReadMemory {
  #read = 0;
  #times = 0;
  #collect: Collect | undefined;

  count(bytes: number): void {
    this.#read += bytes;
    if (this.#read < every) return;
    this.#read = 0;
    this.#collect ??= collector();
    this.#times += 1;
    this.#collect({ type: this.#times % timesToMajor === 0 ? 'major' : 'minor' });
  }
}

function collector(): Collect {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('gc') as Collect;
}
