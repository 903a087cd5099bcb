import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
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
 * What has been written to the pipe on stdin so far, without waiting for more, and without a socket, which takes three
 * milliseconds to be made. Nothing where stdin is no pipe, or cannot be opened a second time: as a file of its own it
 * can be read without waiting, and the caller's is left as it is.
 */
export function takeWaiting(): { readonly bytes: Uint8Array; readonly ended: boolean } {
  const none = { bytes: new Uint8Array(), ended: false };
  if (process.platform !== 'linux' || !fstatSync(0).isFIFO()) return none;
  let pipe: number;
  try {
    pipe = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return none;
  }
  const bytes = Buffer.allocUnsafe(pieceBytes);
  let length = 0;
  try {
    for (;;) {
      const read = readSync(pipe, bytes, length, pieceBytes - length, null);
      length += read;
      if (read === 0) return { bytes: bytes.subarray(0, length), ended: length < pieceBytes };
    }
  } catch {
    return { bytes: bytes.subarray(0, length), ended: false }; // EAGAIN: no more has been written yet
  } finally {
    closeSync(pipe);
  }
}

/**
 * Opens stdin; leaving the scope lets go of it, also while nothing comes.
 * @throws Error for a terminal, which is read by those who know how
 */
export function openStdin(): RawStdin {
  const stats = fstatSync(0);
  if (stats.isCharacterDevice() && stats.rdev !== nullDevice) throw new Error('a terminal');
  if (!stats.isFIFO() && !stats.isSocket()) return { bytes: whole(), [Symbol.dispose]: () => undefined };
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
