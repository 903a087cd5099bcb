import { exitCode, Failure } from '../core/failure.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** No address of a document was given, and none is configured. */
export function metadataAddressMissing(): Failure {
  return new Failure({
    code: 'client_metadata_url_missing',
    exit: exitCode.usage,
    message: 'It is not said at which address the client ID metadata document is, or is to be, served.',
    remedy: 'Pass --url https://…/client.json, or set POSTERN_CLIENT_METADATA_URL.',
  });
}

/** A document is there already; another one would replace its keys, or belong to another address. */
export function documentThere(path: string): Failure {
  return new Failure({
    code: 'client_metadata_exists',
    exit: exitCode.usage,
    message: `There is a client ID metadata document already: ${quoted(path, 200)}; nothing was changed.`,
    remedy: 'Make it again with: postern client-metadata build; replace its key with: rotate; or choose another --out.',
  });
}

/** No document can be read there. */
export function documentMissing(unreadable: Failure): Failure {
  const { exit, message } = unreadable;
  return new Failure({
    code: 'client_metadata_missing',
    exit,
    message,
    remedy:
      'Make one with: postern client-metadata init --url https://…/client.json; or name the folder or the file that it is in.',
    cause: unreadable,
  });
}

/** What stands in the file is no document that this program could have made. */
export function documentUnusable(path: string, why: string): Failure {
  return new Failure({
    code: 'client_metadata_unusable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} cannot be built on: ${why}`,
    remedy: `See all that is wrong with it: postern client-metadata check ${shellWord(path)} --offline`,
  });
}

/** A name or contact that the folder’s page could not show, or that a document may not hold. */
export function documentSettingRefused(option: string, why: string): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: `The value of ${option} cannot be used: ${why}.`,
    remedy: 'See: postern client-metadata --help',
  });
}

/** `rotate` on a document without keys. */
export function nothingToRotate(path: string): Failure {
  return new Failure({
    code: 'client_key_missing',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} publishes no key (its client is a public one), so there is none to rotate.`,
    remedy: 'A client with a key is made with: postern client-metadata init --auth private_key_jwt --url … --out …',
  });
}

/** `rotate` while the key before the last is still published. */
export function rotationUnderWay(path: string): Failure {
  return new Failure({
    code: 'rotation_under_way',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} publishes two keys: the last rotation has not ended.`,
    remedy: `Host the folder, wait until caches have run out, then: postern client-metadata rotate ${shellWord(path)} --retire`,
  });
}

/** `rotate --retire` with nothing to retire, or where the key that would stay is not kept here. */
export function nothingToRetire(path: string, why: string): Failure {
  return new Failure({
    code: 'nothing_to_retire',
    exit: exitCode.usage,
    message: `No key of ${quoted(path, 200)} is to be retired: ${why}.`,
    remedy: 'Publish a new key first: postern client-metadata rotate',
  });
}

/** A file of the folder that is to be served is not there. */
export function documentFileMissing(path: string, code: string): Failure {
  return new Failure({
    code: 'file_unreadable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} could not be read (${code}), and without it the folder cannot be served.`,
    remedy: 'Make the folder: postern client-metadata init, or build.',
  });
}

/** `--tls-cert` and `--tls-key`. `why` ends the sentence "… cannot be used: ". */
export function tlsFilesUnusable(path: string, why: string): Failure {
  return new Failure({
    code: 'tls_files_unusable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} cannot be used: ${why}.`,
    remedy: 'Pass PEM files, or --self-signed to have a certificate made.',
  });
}

/** Something else listens there. */
export function portInUse(port: number, cause: unknown): Failure {
  return new Failure({
    code: 'port_in_use',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1, where the document was to be served, is in use by another process.`,
    remedy: 'End that process, or pass another --port; the document is then good for that port alone.',
    cause,
  });
}

/** The system does not let us. */
export function portRefused(port: number, code: string, cause: unknown): Failure {
  return new Failure({
    code: 'port_refused',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1 cannot be used to serve the document: the system does not allow it (${code}).`,
    remedy: 'Pass a --port from 1024 to 65535.',
    cause,
  });
}
