import { printable } from '../core/text/printable.js';
import { gateUrl } from '../core/url.js';
import { checkAddress } from '../oauth/client-metadata/client-id.js';
import { validateDocument } from '../oauth/client-metadata/document.js';
import { type DocumentSettings, readSettings } from '../oauth/client-metadata/write-document.js';
import { metadataAddressRefused } from '../oauth/failures.js';
import { documentSettingRefused, documentUnusable, metadataAddressMissing } from './failures.js';
import { fileNameOf } from './hosted-folder.js';

/** What a person says about a document; undefined: what the document that is there says. */
export interface SettingsWish {
  readonly url: string | undefined;
  readonly name: string | undefined;
  readonly contact: string | undefined;
}

const longestName = 100;

const mailAddress = /^[A-Za-z0-9.!#$%&*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}$/;

/**
 * The settings of a new document.
 * @throws Failure `client_metadata_url_missing`, `client_metadata_url_refused`, `usage`
 */
export function newSettings(wish: SettingsWish, keys: DocumentSettings['keys']): DocumentSettings {
  const { url, name = 'postern', contact } = wish;
  if (url === undefined) throw metadataAddressMissing();
  return checked({ url, name, contact, keys });
}

/**
 * The settings of the document that is there, with what the person changes.
 * @throws Failure `client_metadata_unusable`, or as `newSettings`
 */
export function changedSettings(there: { readonly bytes: Uint8Array; readonly path: string }, wish: SettingsWish) {
  const { object, findings } = validateDocument(there.bytes, undefined);
  if (object === undefined) throw documentUnusable(there.path, findings[0]?.what ?? '');
  const found = readSettings(object);
  const { keys = [] } = found;
  return newSettings(
    { url: wish.url ?? found.url, name: wish.name ?? found.name, contact: wish.contact ?? found.contact },
    keys,
  );
}

function checked(settings: DocumentSettings): DocumentSettings {
  const { url, name, contact } = settings;
  checkAddress(url);
  if (
    !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(fileNameOf(url)) ||
    ['index.html', 'logo.svg', 'README.md'].includes(fileNameOf(url))
  ) {
    throw metadataAddressRefused(
      'The address does not end in a file name that a document can have.',
      'Let it end like https://example.com/client.json.',
    );
  }
  if (name.trim() === '' || name.length > longestName || printable(name, name.length) !== name) {
    throw documentSettingRefused('--name', `a name is 1 to ${longestName} plain characters`);
  }
  const gated = contact?.startsWith('https://') ? gateUrl(contact) : undefined;
  if (contact !== undefined && gated?.ok !== true && !mailAddress.test(contact)) {
    throw documentSettingRefused('--contact', 'it is neither an e-mail address nor an https URL');
  }
  return settings;
}
