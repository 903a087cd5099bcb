/** What a person types at a prompt, line by line. */
export interface LineReader extends Disposable {
  /** The next line; undefined at the end (Ctrl-D). @throws the signal's reason */
  next(): Promise<string | undefined>;
  /** Shows something above the line that is being typed. */
  above(show: () => void): void;
  /** Leaves the keyboard to somebody else until the work is done. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What fits at the end of a line, and the part of the line that it takes the place of. */
export type Completion = readonly [fitting: readonly string[], part: string];

export interface LineReaderOptions {
  /** May have tones. */
  readonly prompt: string;
  /** The newest first. */
  readonly history: readonly string[];
  complete(line: string): Promise<Completion>;
  /** Ctrl-C where nothing is typed. */
  nothingToCancel(): void;
  readonly signal: AbortSignal;
}

export type OpenLineReader = (options: LineReaderOptions) => Promise<LineReader>;

/** Lines that were typed in earlier shells. */
export interface ShellHistory {
  /** The newest first. @throws Failure `state_unsafe` */
  read(): Promise<readonly string[]>;
  /** @throws Failure `state_unsafe`, `state_unwritable` */
  add(line: string): Promise<void>;
}
