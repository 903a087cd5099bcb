import { fstatSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

const pieceBytes = 65_536;
/** Linux: major 1, minor 3. */
export const nullDevice = 0x103;

/**
 * The bytes of stdin as they come. `process.stdin` takes two milliseconds to be made; what is read here is gone for
 * it. Whoever stops early lets go of it.
 */
export async function* readStdin(): AsyncGenerator<Uint8Array> {
  const stats = fstatSync(0);
  if (stats.isCharacterDevice() && stats.rdev !== nullDevice) {
    throw new Error('a terminal is read by those who know how');
  }
  if (stats.isFIFO() || stats.isSocket()) {
    const socket = new Socket({ fd: 0, readable: true, writable: false });
    try {
      for await (const piece of socket) yield piece;
    } finally {
      socket.destroy();
    }
    return;
  }
  // A file, or a device that has nothing: these do not keep anybody waiting.
  for (;;) {
    const piece = Buffer.alloc(pieceBytes);
    const length = readSync(0, piece);
    if (length === 0) return;
    yield piece.subarray(0, length);
  }
}
