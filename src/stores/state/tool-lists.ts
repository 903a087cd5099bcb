import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { asObject, type JsonObject, type JsonValue } from '../../core/text/json.js';
import { ensurePrivateFolder, readIfThere } from '../private-file.js';
import { removeFile, replaceFile } from './safe-file.js';

/** One parameter of a tool, as its input schema says. Texts are the server's, cut, and not yet printable. */
export interface ToolParameter {
  readonly name: string;
  /** JSON Schema's names of the types that it takes; none: any. */
  readonly types: readonly string[];
  /** Type of a list's entries, where they have one. */
  readonly entries: string | undefined;
  readonly isRequired: boolean;
  /** The only values it takes; undefined: any of its types. */
  readonly choices: readonly JsonValue[] | undefined;
  readonly default?: JsonValue | undefined;
  /** '' for none. */
  readonly description: string;
}

/** What is needed to call a tool and to describe it. Texts are the server's, cut, and not yet printable. */
export interface ToolSignature {
  readonly name: string;
  /** '' for none. */
  readonly description: string;
  /** As its annotations say, which are hints. */
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  /** Calling it twice has the same effect as once. */
  readonly isIdempotent: boolean;
  /** Whether it may take parameters that are not among these. */
  readonly isOpen: boolean;
  /** Whether the newer era wants some of its parameters in headers, too: then the server's own list has to be at hand. */
  readonly isMarked: boolean;
  /** Whether its schema marks a value as secret, however deep. */
  readonly takesSecret?: boolean;
  readonly parameters: readonly ToolParameter[];
}

export interface ToolList {
  /** When the server listed them, in milliseconds since 1970. */
  readonly at: number;
  /** False where the server has more than are here. */
  readonly isWhole: boolean;
  readonly tools: readonly ToolSignature[];
}

/** A list is valid for a day. */
const longestMs = 86_400_000;

/** A longer list is not kept. In bytes. */
const maxListBytes = 1_048_576;

/** Maximum number of lists; the oldest is removed first. */
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
 * The tools that the server listed for the login with that key (of its record), from a small file, synchronously, as
 * completion needs it. Undefined if none were listed within a day, or the file is not private or not understood.
 * All texts are the server's, and untrusted: they are shown through `printable` alone.
 * @param now Milliseconds since 1970.
 */
export function readToolListSync(stateFolder: string, key: string, now: number): ToolList | undefined {
  let list: JsonObject | undefined;
  try {
    const file = readIfThere(toolListPath(stateFolder, key), maxListBytes);
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
export function createToolLists(stateFolder: string) {
  const forget = (key: string) => silently(() => removeFile(toolListPath(stateFolder, key)));
  return {
    /** @param now Milliseconds since 1970. */
    read: async (key: string, now: number) => readToolListSync(stateFolder, key, now),
    keep: async (key: string, list: ToolList) => {
      const text = JSON.stringify({ version: 1, ...list });
      if (Buffer.byteLength(text) > maxListBytes) return forget(key);
      const path = toolListPath(stateFolder, key);
      await silently(async () => {
        await ensurePrivateFolder(join(path, '..'));
        await replaceFile(path, text, 0o600, `${path}.${process.pid}`);
        await prune(join(path, '..'));
      });
    },
    forget,
  };
}

export type ToolLists = ReturnType<typeof createToolLists>;

async function prune(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /^(?:x-)?[0-9a-f]{64}\.json/.test(name)); // ours alone
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
