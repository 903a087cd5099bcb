import { Failure } from '../core/failure.js';
import { readWhole } from '../core/read-whole.js';
import { documentMissing } from './failures.js';
import type { HostedFile } from './hosted-folder.js';
import type { ClientMetadataWorld } from './ports.js';

/** Where `init` writes, and where the other actions look when they are told nothing else. */
export const usualFolder = 'client-metadata';

const usualFile = 'client.json';

/** The most that is read of a file; what is larger than 5 KiB is a finding. */
const maxBytes = 64 * 1024;

export interface DocumentPlace {
  readonly folder: string;
  readonly path: string;
}

export interface DocumentThere extends DocumentPlace {
  readonly bytes: Uint8Array;
}

/** The document that a word means: a file when it ends in `.json`, else a folder with a `client.json`. */
export function placeOf(word: string | undefined): DocumentPlace {
  const named = (word ?? usualFolder).replace(/(?<=.)\/+$/, '');
  if (!named.endsWith('.json')) return { folder: named, path: `${named}/${usualFile}` };
  const slash = named.lastIndexOf('/');
  return { folder: slash === -1 ? '.' : named.slice(0, slash) || '/', path: named };
}

/** @throws Failure `client_metadata_missing`, `input_too_large` */
export async function readDocument(
  { files }: Pick<ClientMetadataWorld, 'files'>,
  word: string | undefined,
): Promise<DocumentThere> {
  const place = placeOf(word);
  try {
    return { ...place, bytes: await readWhole(files.read(place.path), place.path, maxBytes) };
  } catch (error) {
    throw error instanceof Failure && error.code === 'file_unreadable' ? documentMissing(error) : error;
  }
}

export async function isThere({ files }: Pick<ClientMetadataWorld, 'files'>, path: string): Promise<boolean> {
  try {
    await readWhole(files.read(path), path, maxBytes);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'file_unreadable') return false;
    throw error;
  }
}

/** Writes every file of a folder; others that lie there are left alone. @throws Failure `file_unwritable` */
export async function writeFolder(
  { files }: Pick<ClientMetadataWorld, 'files'>,
  folder: string,
  all: readonly HostedFile[],
): Promise<void> {
  await files.makeFolder(folder);
  for (const { name, text } of all) {
    await files.write(`${folder}/${name}`, bytesOf(text));
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
