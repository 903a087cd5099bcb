/** How text for a person is laid out on one stream. */
export interface Look {
  /** Columns, 40 to 200; 80 where the stream is no terminal. */
  readonly width: number;
  /** False in pipes, with `NO_COLOR` and with `--no-color`: whatever a colour says is in words, too. */
  readonly color: boolean;
}

/** Text for a pipe or a file. */
export const plainLook: Look = { width: 80, color: false };

/** The look of a standard stream. @param color Has the person left colours on? */
export function lookOf(stream: { readonly isTTY?: boolean; readonly columns?: number }, color: boolean): Look {
  if (stream.isTTY !== true) return plainLook;
  // Some programs that start a terminal leave its columns at 0.
  const columns = stream.columns ? stream.columns : plainLook.width;
  return { width: Math.min(200, Math.max(40, columns)), color };
}

/** What a piece of text is: the terminal's own colours, which its owner can read on dark and on light. */
export type Tone = 'strong' | 'dim' | 'good' | 'warning' | 'bad' | 'name' | 'paper';

const codes: Readonly<Record<Tone, readonly [on: number | string, off: number | string]>> = {
  strong: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  name: [36, 39],
  paper: ['30;107', '39;49'], // black on white, for what a camera reads
};

/** The text in a tone. What a server said must be printable before. */
export function toned({ color }: Look, tone: Tone, text: string): string {
  const [on, off] = codes[tone];
  return color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
