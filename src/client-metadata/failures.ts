import { exitCode, Failure } from '../core/failure.js';
import { quotedPath, shellWord } from '../core/text/printable.js';

function usage(code: string, message: string, remedy: string, cause?: unknown): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy, cause });
}

/** No address of a document was given, and none is configured. */
export function metadataAddressMissing(): Failure {
  const message = 'The address of the client ID metadata document is missing.';
  const remedy = 'Pass --url https://…/client.json, or set POSTERN_CLIENT_METADATA_URL.';
  return usage('client_metadata_url_missing', message, remedy);
}

/** A document is there already; another one would replace its keys, or belong to another address. */
export function documentThere(path: string): Failure {
  const message = `${quotedPath(path, 200)} already is a client ID metadata document. Nothing was changed.`;
  const remedy =
    'Make it again with: postern client-metadata build; replace its key with: rotate; or choose another --out.';
  return usage('client_metadata_exists', message, remedy);
}

/** No document can be read there. */
export function documentMissing(unreadable: Failure): Failure {
  const remedy = 'Name the folder or the file that it is in, or make one: postern client-metadata init --url URL';
  return usage('client_metadata_missing', unreadable.message, remedy, unreadable);
}

/** The file is no document that this program could have made. */
export function documentUnusable(path: string, why: string): Failure {
  const remedy = `See all that is wrong with it: postern client-metadata check ${shellWord(path)} --offline`;
  return usage('client_metadata_unusable', `${quotedPath(path, 200)} cannot be built on: ${why}`, remedy);
}

/** A name or contact that the folder’s page could not show, or that a document may not hold. */
export function documentSettingRefused(option: string, why: string): Failure {
  return usage('usage', `The value of ${option} cannot be used: ${why}.`, 'See: postern client-metadata --help');
}

/** `rotate` on a document without keys. */
export function nothingToRotate(path: string): Failure {
  const message = `${quotedPath(path, 200)} publishes no key (its client is a public one), so there is none to rotate.`;
  const remedy =
    'A client with a key is made with: postern client-metadata init --auth private_key_jwt --url … --out …';
  return usage('client_key_missing', message, remedy);
}

/** `rotate` while the key before the last is still published. */
export function rotationUnderWay(path: string): Failure {
  const message = `${quotedPath(path, 200)} publishes two keys: the last rotation has not ended.`;
  const remedy = `Host the folder, wait until caches have run out, then: postern client-metadata rotate ${shellWord(path)} --retire`;
  return usage('rotation_under_way', message, remedy);
}

/** `rotate --retire` with nothing to retire, or where the key that would stay is not kept here. */
export function nothingToRetire(path: string, why: string): Failure {
  const message = `No key of ${quotedPath(path, 200)} is to be retired: ${why}.`;
  return usage('nothing_to_retire', message, 'Publish a new key first: postern client-metadata rotate');
}
