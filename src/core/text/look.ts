/** How text for a person is laid out on one stream. */
export interface Look {
  /** Columns, 40 to 200; 80 where the stream is no terminal. */
  readonly width: number;
  /** False in pipes, with `NO_COLOR` and with `--no-color`: whatever a colour says is in words, too. */
  readonly color: boolean;
  /** The terminal has 256 colours, of which some can be read on dark and on light alike. */
  readonly hasPalette?: boolean;
}

/** Text for a pipe or a file. */
export const plainLook: Look = { width: 80, color: false };

/** The look of a standard stream. @param color Has the person left colours on? */
export function lookOf(stream: LookedAt, color: boolean): Look {
  if (stream.isTTY !== true) return plainLook;
  // Some programs that start a terminal leave its columns at 0.
  const columns = stream.columns ? stream.columns : plainLook.width;
  const hasPalette = color && (stream.getColorDepth?.() ?? 1) >= 8;
  return { width: Math.min(200, Math.max(40, columns)), color, ...(hasPalette && { hasPalette }) };
}

/** What of a stream says how it is read. */
interface LookedAt {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** In bits. */
  readonly getColorDepth?: () => number;
}

/** What a piece of text is. */
export type Tone = 'strong' | 'dim' | 'good' | 'warning' | 'bad' | 'name' | 'paper';

type Codes = readonly [on: number | string, off: number | string];

const codes: Readonly<Record<Tone, Codes>> = {
  strong: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  name: [36, 39],
  paper: ['30;107', '39;49'], // black on white, for what a camera reads
};

/** Colours of no theme: on white, yellow and cyan of many terminals cannot be read. What each looks like is fixed. */
export const palette: Readonly<Partial<Record<Tone, Codes>>> = {
  good: ['38;5;28', 39],
  warning: ['1;38;5;166', '22;39'],
  bad: ['38;5;196', 39],
  name: ['38;5;32', 39],
};

/** The text in a tone. What a server said must be printable before. */
export function toned({ color, hasPalette }: Look, tone: Tone, text: string): string {
  const [on, off] = (hasPalette && palette[tone]) || codes[tone];
  return color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
