import { fstatSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

const pieceBytes = 65_536;
/** Linux: major 1, minor 3. */
export const nullDevice = 0x103;

/** stdin without `process.stdin`, which takes two milliseconds to be made. */
export interface RawStdin extends Disposable {
  /** The bytes as they come; gone for whoever reads after. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Opens stdin; leaving the scope lets go of it, also while nothing comes.
 * @throws Error for a terminal, which is read by those who know how
 */
export function openStdin(): RawStdin {
  const stats = fstatSync(0);
  if (stats.isCharacterDevice() && stats.rdev !== nullDevice) {
    throw new Error('a terminal');
  }
  if (!stats.isFIFO() && !stats.isSocket()) {
    return { bytes: whole(), [Symbol.dispose]: () => undefined };
  }
  const socket = new Socket({ fd: 0, readable: true, writable: false });
  socket.on('error', () => undefined); // also told to whoever reads
  return { bytes: socket, [Symbol.dispose]: () => void socket.destroy() };
}

/** A file, or a device that has nothing: these do not keep anybody waiting. */
async function* whole(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = Buffer.alloc(pieceBytes);
    const length = readSync(0, piece);
    if (length === 0) return;
    yield piece.subarray(0, length);
  }
}
