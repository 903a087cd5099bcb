import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { systemCode } from '../core/failure.js';
import { accessProblem } from '../core/files.js';
import type { LoginRecord } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { localKeyUnusable } from './failures.js';
import { readPlainFile } from './key-file.js';

/** 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64url'));
}

/** The key of a proxy, in a file that is made where it is missing. @throws Failure `local_key_unusable` */
export function keyInFile(path: string): Secret {
  const file = readPlainFile(path, 64, (stats) => accessProblem(stats, process.geteuid?.(), { hint: '; chmod 600' }));
  if (!file.ok) {
    if (file.problem === 'absent') return made(path);
    throw localKeyUnusable(path, file.why);
  }
  const [, key] = /^([\w-]{43})\r?\n?$/.exec(file.bytes.toString('latin1')) ?? [];
  if (key === undefined) throw localKeyUnusable(path, 'it holds no key that postern proxy has made');
  return new Secret(key);
}

function made(path: string): Secret {
  const key = newKey();
  try {
    writeFileSync(path, `${key.reveal()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw localKeyUnusable(path, `it cannot be made (${systemCode(error)})`);
  }
  return key;
}

/** The path segment of a login in the address of a proxy: its name, else its server's host. */
export function segmentOf({ name, server }: Pick<LoginRecord, 'name' | 'server'>): string {
  return name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
}
