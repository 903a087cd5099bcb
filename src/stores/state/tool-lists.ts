import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import type { ToolList, ToolLists, ToolParameter, ToolSignature } from '../ports.js';
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
  const { version, at, isWhole, tools } = list ?? {};
  const isFresh = typeof at === 'number' && at <= now && now - at < longestMs;
  if (version !== 1 || !isFresh || !Array.isArray(tools)) return undefined;
  return { at, isWhole: isWhole === true, tools: tools.flatMap(signatureIn) };
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

function signatureIn(value: JsonValue): readonly ToolSignature[] {
  const tool = asObject(value);
  const name = tool && stringField(tool, 'name');
  if (tool === undefined || name === undefined || !Array.isArray(tool['parameters'])) return [];
  const { description, isReadOnly, isDestructive, isIdempotent, isOpen, isMarked, takesSecret, parameters } = tool;
  return [
    {
      name,
      description: typeof description === 'string' ? description : '',
      isReadOnly: isReadOnly === true,
      isDestructive: isDestructive === true,
      isIdempotent: isIdempotent === true,
      isOpen: isOpen !== false,
      isMarked: isMarked !== false,
      ...(takesSecret === true && { takesSecret }),
      parameters: parameters.flatMap(parameterIn),
    },
  ];
}

function parameterIn(value: JsonValue): readonly ToolParameter[] {
  const parameter = asObject(value);
  const name = parameter && stringField(parameter, 'name');
  if (parameter === undefined || name === undefined) return [];
  const { types, entries, isRequired, choices, description } = parameter;
  return [
    {
      name,
      types: Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [],
      entries: typeof entries === 'string' ? entries : undefined,
      isRequired: isRequired === true,
      choices: Array.isArray(choices) ? choices : undefined,
      ...('default' in parameter && { default: parameter['default'] }),
      description: typeof description === 'string' ? description : '',
    },
  ];
}
