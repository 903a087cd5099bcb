import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, writeFileSync } from 'node:fs';
import { systemCode } from '../core/failure.js';
import { accessProblem } from '../core/file-access.js';
import type { LoginRecord } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { newFile } from './state/safe-file.js';
import { localKeyUnusable } from './state-failures.js';

const maxBytes = 64;

/** 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64url'));
}

/** The key of a proxy, in a file that is made where it is missing. @throws Failure `local_key_unusable` */
export function keyInFile(path: string): Secret {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return made(path);
    throw localKeyUnusable(path, `it cannot be read (${systemCode(error)})`);
  }
  try {
    const why = problem(fstatSync(file));
    if (why !== undefined) throw localKeyUnusable(path, why);
    const [, key] = /^([\w-]{43})\r?\n?$/.exec(readFileSync(file, 'latin1')) ?? [];
    if (key === undefined) throw localKeyUnusable(path, 'it holds no key that postern proxy has made');
    return new Secret(key);
  } finally {
    closeSync(file);
  }
}

function made(path: string): Secret {
  const key = newKey();
  try {
    const file = openSync(path, newFile, 0o600);
    try {
      writeFileSync(file, `${key.reveal()}\n`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw localKeyUnusable(path, `it cannot be made (${systemCode(error)})`);
  }
  return key;
}

function problem(stats: Stats): string | undefined {
  if (!stats.isFile() || stats.size > maxBytes) return 'it is not a plain file with a key';
  return accessProblem(stats, process.geteuid?.(), { hint: '; chmod 600' });
}

/** The path segment of a login in the address of a proxy: its name, else its server's host. */
export function segmentOf({ name, server }: Pick<LoginRecord, 'name' | 'server'>): string {
  return name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
}
