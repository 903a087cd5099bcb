import { type Look, toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';

/** Characters of an address that a phone's camera still reads off a terminal. */
const maxLength = 300;

/** Of light modules around the code: four are asked for, two are read by every camera, and the terminal has its own edge. */
const border = 2;

/**
 * An address as a QR code (ISO/IEC 18004), two rows of modules in a line; nothing where it does not fit into the
 * terminal. Black on white with colours; without them, of light blocks, for a dark terminal. Loads its library.
 */
export async function qrCodeLines(address: string, look: Look): Promise<readonly string[]> {
  if (address.length > maxLength || printable(address, maxLength) !== address) return [];
  const { encode } = await import('uqr');
  const { data: rows, size } = encode(address, { ecc: 'L', border });
  if (size > look.width) return [];
  const isInk = (row: number, column: number) => (rows[row]?.[column] ?? false) === look.color;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_, column) => {
      const [upper, lower] = [isInk(2 * line, column), 2 * line + 1 < size && isInk(2 * line + 1, column)];
      return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }).join(''),
  );
  return lines.map((line) => toned(look, 'paper', line));
}
