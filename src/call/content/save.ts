import type { Files } from '../../core/ports.js';
import { below } from '../../core/text/system.js';
import { notSaved } from '../failures.js';
import type { Media } from './pieces.js';

/** Extensions by media type; nothing else that a server says has a part in one. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'image/avif': '.avif',
  'image/bmp': '.bmp',
  'image/tiff': '.tiff',
  'audio/mpeg': '.mp3',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/wave': '.wav',
  'audio/ogg': '.ogg',
  'audio/flac': '.flac',
  'audio/mp4': '.m4a',
  'audio/aac': '.aac',
  'audio/webm': '.weba',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/css': '.css',
  'text/csv': '.csv',
  'text/markdown': '.md',
  'text/xml': '.xml',
  'application/json': '.json',
  'application/xml': '.xml',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/gzip': '.gz',
  'application/yaml': '.yaml',
};

function extensionOf({ mediaType, content }: Media): string {
  const known = Object.hasOwn(extensions, mediaType) ? extensions[mediaType] : undefined;
  if (known !== undefined) return known;
  if (mediaType.endsWith('+json')) return '.json';
  if (mediaType.endsWith('+xml')) return '.xml';
  return mediaType.startsWith('text/') || typeof content === 'string' ? '.txt' : '.bin';
}

/** Names that are devices on Windows. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

const maxName = 60;

/**
 * A file's name without a number: of a resource the last part of its URI, of letters and digits alone; else what it is.
 * Never a path, hidden, or of another extension than that of the media type.
 */
export function fileName(media: Media): readonly [base: string, extension: string] {
  const [path = ''] = media.uri.split(/[?#]/, 1);
  const [last = ''] = decoded(path)
    .split(/[/\\:]/)
    .slice(-1);
  const base = last
    .replace(/(?<=.)\.[^.]*$/s, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxName)
    .replace(/-+$/, '');
  return [base === '' || devices.test(base) ? media.what : base, extensionOf(media)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Files of one result, and names that are tried for one, at most. */
const maxFiles = 1_000;

/** Saves what one result brings in a folder, each in a new file of this user's alone. */
export class Saver {
  readonly #files: Pick<Files, 'makeFolder' | 'writeNew'>;
  readonly #folder: string;
  readonly #last = new Map<string, number>();
  #count = 0;

  constructor(files: Pick<Files, 'makeFolder' | 'writeNew'>, folder: string) {
    this.#files = files;
    this.#folder = folder.replace(/(?<=.)[/\\]+$/, '');
  }

  /**
   * The path of the new file. What is there already is left as it is.
   * @throws Failure `not_saved`, `file_unwritable`
   */
  async save(media: Media, content: string | Uint8Array): Promise<string> {
    if (this.#count === 0) await this.#files.makeFolder(this.#folder);
    this.#count += 1;
    if (this.#count > maxFiles) throw notSaved(this.#folder, `one result brings more than ${maxFiles} files`);
    const [base, extension] = fileName(media);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const name = `${base}${extension}`;
    for (let number = (this.#last.get(name) ?? 0) + 1; number <= maxFiles; number += 1) {
      const path = below(this.#folder, `${base}${number === 1 ? '' : `-${number}`}${extension}`);
      this.#last.set(name, number); // a thousand of one name are not looked for from the beginning each
      if (await this.#files.writeNew(path, bytes)) return path;
    }
    throw notSaved(this.#folder, `${maxFiles} files of the name ${name} are there`);
  }
}
