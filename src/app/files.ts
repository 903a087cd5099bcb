import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, readdirSync, readlinkSync, statSync, writeSync } from 'node:fs';
import { lstat, mkdir, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { systemCode } from '../core/failure.js';
import { fileUnreadable } from '../core/failures.js';
import type { Files } from '../core/ports.js';
import { readyDescriptorUnusable } from '../proxy/failures.js';
import { fileUnwritable } from '../setup/failures.js';
import { newFile, replaceFile } from '../stores/state/safe-file.js';

/** The user's files and stdin. Relative paths start at the working folder, since the user typed them. */
export function createFiles(stdin: () => Readable & { readonly isTTY?: boolean }): Files {
  return {
    get stdinIsTerminal() {
      return stdin().isTTY === true;
    },
    read,
    isOpenToOthers,
    stdin: () => fromStdin(stdin()),
    write,
    writeNew,
    writePrivate,
    makeFolder,
    tellReady,
  };
}

async function* read(path: string, setting?: string): AsyncGenerator<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    yield* file.createReadStream({ autoClose: false });
  } catch (error) {
    throw fileUnreadable(path, systemCode(error), setting);
  }
}

async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false; // modes do not show its access lists
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && (found.mode & 0o044) !== 0;
}

async function* fromStdin(stdin: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stdin) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
  } catch (error) {
    throw fileUnreadable('stdin', systemCode(error));
  }
}

async function write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const unwritable = (error: unknown) => {
    throw fileUnwritable(path, systemCode(error));
  };
  await using file = await open(path, 'w').catch(unwritable);
  for await (const chunk of chunks) await file.writeFile(chunk).catch(unwritable);
}

async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await using file = await open(path, newFile, 0o600);
    await file.writeFile(bytes);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' || code === 'ELOOP') return false;
    throw fileUnwritable(path, code);
  }
}

async function writePrivate(path: string, text: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() === false) throw fileUnwritable(path, 'it is a link, or no plain file');
  try {
    await replaceFile(path, text, 0o600, `${path}.${randomBytes(8).toString('hex')}`);
  } catch (error) {
    throw fileUnwritable(path, systemCode(error));
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw fileUnwritable(path, systemCode(error));
  });
}

async function tellReady(descriptor: number, text: string): Promise<void> {
  try {
    if (isOurOwn(descriptor)) throw Object.assign(new Error('not inherited'), { code: 'EBADF' });
    writeSync(descriptor, text);
    closeSync(descriptor);
  } catch (error) {
    throw readyDescriptorUnusable(descriptor, systemCode(error));
  }
}

/** Node's own descriptors: event queues, and pipes of which it holds both ends. */
function isOurOwn(descriptor: number): boolean {
  if (process.platform !== 'linux') return false;
  const target = readlinkSync(`/proc/self/fd/${descriptor}`);
  if (!target.startsWith('pipe:')) return target.startsWith('anon_inode:');
  const inodeOf = (each: string) => statSync(`/proc/self/fd/${each}`, { throwIfNoEntry: false })?.ino;
  return readdirSync('/proc/self/fd').filter((each) => inodeOf(each) === fstatSync(descriptor).ino).length > 1;
}
