import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import type { ToolList, ToolLists } from '../ports.js';
import { ensurePrivateFolder, readIfThere } from './private-file.js';
import { removeFile, replaceFile } from './safe-file.js';

/** After a day a list counts no more. */
const longestMs = 86_400_000;

/** A longer list is not kept. In bytes. */
const maxBytes = 1_048_576;

/** Lists at most: the one that was renewed longest ago goes first. */
const maxLists = 64;

/**
 * The file of the tools of one login, in the state folder.
 * @param key Of its record; for a server that is called without a login the server's URL.
 */
export function toolListPath(stateFolder: string, key: string): string {
  const name = /^[0-9a-f]{64}$/.test(key) ? key : `x-${createHash('sha256').update(key).digest('hex')}`;
  return join(stateFolder, 'tools', `${name}.json`);
}

/**
 * The tools that the server has listed for the login with that key (of its record), from a small file, at once: for what
 * completes words, too. Undefined where none were listed within a day, or what is there is not private or not understood.
 * All texts are the server's, and untrusted: they are shown through `printable` alone.
 * @param now Milliseconds since 1970.
 */
export function readToolListSync(stateFolder: string, key: string, now: number): ToolList | undefined {
  let list: JsonObject | undefined;
  try {
    const file = readIfThere(toolListPath(stateFolder, key), maxBytes);
    // We alone can have written it, and the strict parser takes milliseconds more.
    list = file && asObject(JSON.parse(Buffer.from(file.bytes).toString()));
  } catch {
    return undefined; // it only saves a request
  }
  if (list?.['version'] !== 1 || !Array.isArray(list['tools'])) return undefined;
  const { version: _, ...kept } = list as unknown as ToolList & { readonly version: 1 };
  return kept.at <= now && now - kept.at < longestMs ? kept : undefined;
}

/** Keeps what servers have listed in small private files, one for each login. Nothing depends on them: they fail silently. */
export function createToolLists(stateFolder: string): ToolLists {
  return {
    read: async (key, now) => readToolListSync(stateFolder, key, now),
    keep: async (key, list) => {
      const text = JSON.stringify({ version: 1, ...list });
      if (Buffer.byteLength(text) > maxBytes) return forget(stateFolder, key);
      const path = toolListPath(stateFolder, key);
      await silently(async () => {
        await ensurePrivateFolder(join(path, '..'));
        await replaceFile(path, text, 0o600, `${path}.${process.pid}`);
        await prune(join(path, '..'));
      });
    },
    forget: (key) => forget(stateFolder, key),
  };
}

async function forget(stateFolder: string, key: string): Promise<void> {
  await silently(() => removeFile(toolListPath(stateFolder, key)));
}

async function prune(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /^(?:x-)?[0-9a-f]{64}\.json/.test(name)); // nobody else's
  if (names.length <= maxLists) return;
  const files = names.map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
  files.sort((one, other) => other.at - one.at);
  for (const { path } of files.slice(maxLists)) await removeFile(path);
}

/** The disk is full, or not ours to write: then the list is asked for again. */
async function silently(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof Error && 'code' in error)) throw error;
  }
}
