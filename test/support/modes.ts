import assert from 'node:assert/strict';

/** The permission bits of a file, which Windows has not. */
export function assertMode(mode: number, wanted: number, message?: string): void {
  if (process.platform !== 'win32') assert.equal(mode & 0o777, wanted, message);
}
