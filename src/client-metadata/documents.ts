import { readRedirectUri } from '../core/configuration/redirect-uri.js';
import { Failure, isFailure } from '../core/failure.js';
import { readWhole } from '../core/files.js';
import { printable } from '../core/text/printable.js';
import { below, isWindows } from '../core/text/system.js';
import { gateUrl } from '../core/url.js';
import { checkAddress } from '../oauth/client-metadata/client-id.js';
import { validateDocument } from '../oauth/client-metadata/document.js';
import { type DocumentSettings, readSettings } from '../oauth/client-metadata/write-document.js';
import { metadataAddressRefused } from '../oauth/failures.js';
import { documentMissing, documentSettingRefused, documentUnusable, metadataAddressMissing } from './failures.js';
import { buildFolder, fileNameOf } from './hosted-folder.js';
import type { ClientMetadataWorld } from './ports.js';

/** Where `init` writes, and where the other actions look by default. */
export const usualFolder = 'client-metadata';

/** Read of a file; what is larger than 5 KiB is a finding. */
const maxBytes = 64 * 1024;

export interface DocumentFile {
  readonly folder: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

type Needs = Pick<ClientMetadataWorld, 'files'>;

export function withoutSlash(folder: string): string {
  return folder.replace(isWindows ? /(?<=.)[\\/]+$/ : /(?<=.)\/+$/, '');
}

/**
 * The document that a word means: a file when it ends in `.json`, else a folder with a `client.json`.
 * @throws Failure `client_metadata_missing`, `input_too_large`
 */
export async function readDocument(world: Needs, word = usualFolder): Promise<DocumentFile> {
  const named = withoutSlash(word);
  const isFile = named.endsWith('.json');
  const path = isFile ? named : below(named, 'client.json');
  const end = Math.max(path.lastIndexOf('/'), isWindows ? path.lastIndexOf('\\') : -1);
  const folder = isFile && end === -1 ? '.' : path.slice(0, end) || '/';
  const bytes = await readFile(world, path);
  if (bytes instanceof Failure) throw documentMissing(bytes);
  return { folder, path, bytes };
}

export async function isThere(world: Needs, path: string): Promise<boolean> {
  return !((await readFile(world, path)) instanceof Failure);
}

/** What is in a file, or why that is not known. @throws Failure `input_too_large` */
async function readFile({ files }: Needs, path: string): Promise<Uint8Array | Failure> {
  try {
    return await readWhole(files.read(path), path, maxBytes);
  } catch (error) {
    if (isFailure(error, 'file_unreadable')) return error;
    throw error;
  }
}

/**
 * Writes every file that is hosted for a client; others that lie in the folder are left alone.
 * @returns the document's path
 * @throws Failure `file_unwritable`
 */
export async function writeFolder({ files }: Needs, folder: string, settings: DocumentSettings): Promise<string> {
  const file = fileNameOf(settings.url);
  await files.makeFolder(folder);
  for (const { name, text } of await buildFolder(settings, file)) {
    await files.write(below(folder, name), bytesOf(text));
  }
  return below(folder, file);
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** What a person says about a document. */
export interface DocumentChange {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly contact?: string | undefined;
  /** Undefined, or none: as before. */
  readonly redirectUri?: readonly string[] | undefined;
}

const longestName = 100;

const mailAddress = /^[A-Za-z0-9.!#$%&*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}$/;

const otherFiles = ['index.html', 'logo.svg', 'README.md'];

/**
 * The settings of a new document.
 * @throws Failure `client_metadata_url_missing`, `client_metadata_url_refused`, `usage`
 */
export function newSettings(change: DocumentChange, keys: DocumentSettings['keys']): DocumentSettings {
  const { url, name = 'postern', contact } = change;
  if (url === undefined) throw metadataAddressMissing();
  checkAddress(url);
  const file = fileNameOf(url);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(file) || otherFiles.includes(file)) {
    throw metadataAddressRefused(
      'The address does not end in a file name that a document can have.',
      'Let it end like https://example.com/client.json.',
    );
  }
  if (name.trim() === '' || name.length > longestName || printable(name, name.length) !== name) {
    throw documentSettingRefused('--name', `a name is 1 to ${longestName} plain characters`);
  }
  const isAddress = contact?.startsWith('https://') === true && gateUrl(contact).ok;
  if (contact !== undefined && !isAddress && !mailAddress.test(contact)) {
    throw documentSettingRefused('--contact', 'it is neither an e-mail address nor an https URL');
  }
  return { url, name, contact, redirectUris: readRedirectUris(change.redirectUri), keys };
}

/**
 * The settings of the document that is there, with what the person changes.
 * @throws Failure `client_metadata_unusable`, or as `newSettings`
 */
export function changedSettings(
  { bytes, path }: Pick<DocumentFile, 'bytes' | 'path'>,
  { url, name, contact, redirectUri = [] }: DocumentChange = {},
): DocumentSettings {
  const { object, findings } = validateDocument(bytes, undefined);
  if (object === undefined) throw documentUnusable(path, findings[0]?.what ?? '');
  const { keys, ...found } = readSettings(object);
  return newSettings(
    {
      ...{ url: url ?? found.url, name: name ?? found.name, contact: contact ?? found.contact },
      redirectUri: redirectUri.length === 0 ? found.redirectUris : redirectUri,
    },
    keys,
  );
}

/** Longest list of redirect URIs, in characters: a document has 5 KiB for everything. */
const longestList = 2_000;

/** Those that were typed, each once; undefined: none. @throws Failure `usage` */
function readRedirectUris(typed: readonly string[] = []): DocumentSettings['redirectUris'] {
  for (const uri of typed) {
    const read = readRedirectUri(uri);
    if (!read.ok) throw documentSettingRefused('--redirect-uri', read.problem);
  }
  const uris = [...new Set(typed)];
  if (uris.join('').length > longestList) {
    throw documentSettingRefused('--redirect-uri', `all of them have ${longestList} characters at most`);
  }
  return uris.length === 0 ? undefined : uris;
}
