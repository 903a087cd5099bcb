import { quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import { exitCode, Failure } from './failure.js';

/** No address of a document was given, and none is configured. */
export function metadataAddressMissing(): Failure {
  return new Failure({
    code: 'client_metadata_url_missing',
    exit: exitCode.usage,
    message: 'It is not said at which address the client ID metadata document is, or is to be, served.',
    remedy: 'Pass --url https://…/client.json, or set POSTERN_CLIENT_METADATA_URL.',
  });
}

/** The address cannot be a client identifier. `why` is a whole sentence. */
export function metadataAddressRefused(why: string, remedy: string): Failure {
  return new Failure({ code: 'client_metadata_url_refused', exit: exitCode.usage, message: why, remedy });
}

/** A document is there already; another one would replace its keys, or belong to another address. */
export function documentThere(path: string): Failure {
  return new Failure({
    code: 'client_metadata_exists',
    exit: exitCode.usage,
    message: `There is a client ID metadata document already: ${quoted(path, 200)}; nothing was changed.`,
    remedy:
      'Make it again with: postern client-metadata build; replace its key with: rotate; or choose another --out.',
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
    remedy:
      'A client with a key is made with: postern client-metadata init --auth private_key_jwt --url … --out …',
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

/**
 * A login with a metadata document that the authorization server did not take, or that never came back: the same
 * failure, with what can be done about the document.
 */
export function withDocumentRemedy(
  failure: Failure,
  document: {
    readonly url: string;
    /** To try where the authorization server may mind the port; undefined: a fixed one was used. */
    readonly redirectPort: number | undefined;
    /** The options that go round the document. */
    readonly otherWay: string;
  },
): Failure {
  const { code, exit, message, trail } = failure;
  const { url, redirectPort, otherWay } = document;
  const port =
    redirectPort === undefined
      ? ''
      : `if it minds the redirect address, add --redirect-port ${redirectPort} (it stands in documents made here); `;
  const remedy = `To identify another way, add ${otherWay}; ${port}to see what is wrong with the document: postern client-metadata check ${shellWord(url)}`;
  return new Failure({ code, exit, message, remedy, trail, cause: failure.cause });
}
