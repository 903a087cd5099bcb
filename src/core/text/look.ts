/** How text is laid out on one stream. */
export interface Look {
  /** Columns, 40 to 200; 80 if the stream is not a terminal. */
  readonly width: number;
  /** False in pipes, with `NO_COLOR` and with `--no-color`: colours never carry meaning alone. */
  readonly color: boolean;
  /** The terminal has 256 colours, some of which are readable on dark and light backgrounds. */
  readonly hasPalette?: boolean;
}

/** Text for a pipe or a file. */
export const plainLook: Look = { width: 80, color: false };

/** The look of a standard stream. @param color Whether the user allows colours. */
export function lookOf(stream: LookedAt, color: boolean): Look {
  if (stream.isTTY !== true) return plainLook;
  // Some terminal emulators leave the columns at 0.
  const columns = stream.columns ? stream.columns : plainLook.width;
  const hasPalette = color && (stream.getColorDepth?.() ?? 1) >= 8;
  return { width: Math.min(200, Math.max(40, columns)), color, ...(hasPalette && { hasPalette }) };
}

/** The members of a stream that tell how it is read. */
interface LookedAt {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** In bits. */
  readonly getColorDepth?: () => number;
}

/** The meaning of a piece of text. */
export type Tone = 'strong' | 'dim' | 'good' | 'warning' | 'bad' | 'name' | 'paper';

type Codes = readonly [on: number | string, off: number | string];

const codes: Readonly<Record<Tone, Codes>> = {
  strong: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  name: [36, 39],
  paper: ['30;107', '39;49'], // black on white, for QR codes
};

/** Fixed colours: many terminals' yellow and cyan cannot be read on white. */
export const palette: Readonly<Partial<Record<Tone, Codes>>> = {
  good: ['38;5;28', 39],
  warning: ['1;38;5;166', '22;39'],
  bad: ['38;5;196', 39],
  name: ['38;5;32', 39],
};

/** The text in a tone. A server's text must pass through `printable` first. */
export function toned({ color, hasPalette }: Look, tone: Tone, text: string): string {
  const [on, off] = (hasPalette && palette[tone]) || codes[tone];
  return color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}
