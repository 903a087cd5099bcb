import type { CommandExit } from '../core/command.js';
import { readStoreOption } from '../core/configuration/settings.js';
import { storeInWords } from '../core/records.js';
import { shellWord } from '../core/text/printable.js';
import { below } from '../core/text/system.js';
import { ownRedirectUris, redirectOption } from '../oauth/client-metadata/redirect-uris.js';
import type { DocumentSettings } from '../oauth/client-metadata/write-document.js';
import type { SecretStore } from '../stores/ports.js';
import { documentHasKey } from '../tokens/client-keys.js';
import type { DocumentArguments } from './client-metadata.options.js';
import {
  changedSettings,
  isThere,
  newSettings,
  readDocument,
  usualFolder,
  withoutSlash,
  writeFolder,
} from './documents.js';
import { documentThere } from './failures.js';
import { fileNameOf } from './hosted-folder.js';
import { forgetOldKeys, keysFor, retireKey, rotateKey } from './keys.js';
import type { ClientMetadataWorld } from './ports.js';

/** `client-metadata init`: the folder for an address, new. */
export async function init(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const url = args.url ?? (await world.configuration()).clientMetadataUrl;
  const folder = withoutSlash(args.out ?? usualFolder);
  const checked = newSettings({ ...args, url }, []);
  const path = below(folder, fileNameOf(checked.url));
  if (await isThere(world, path)) throw documentThere(path);
  const store = args.auth === 'private_key_jwt' ? await storeFor(world, args.store) : undefined;
  const settings = { ...checked, keys: store === undefined ? [] : await keysFor(world, checked.url, store) };
  await writeAndTell(world, folder, settings);
  // A key from before would go on being used for a document that says that there is none.
  if (store === undefined && (await forgetOldKeys(world, settings, world.signal)) > 0) {
    world.tell('The private key that was kept for this address is removed: the client is a public one now.');
  }
  if (store !== undefined) world.tell(`Its private key is in: ${storeInWords(store.kind)}.`);
  world.tell(`Next: publish everything in ${folder} at ${new URL(settings.url).host} (its README.md says how), then:`);
  world.tell(`  postern client-metadata check ${shellWord(path)}`);
  return 0;
}

/** `client-metadata build`: the folder again, from its own document; else, where none is named, from the configuration. */
export async function build(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const url = args.url ?? (await world.configuration()).clientMetadataUrl;
  if (args.target === undefined && url !== undefined && !(await isThere(world, below(usualFolder, 'client.json')))) {
    // A key that is kept for that address is published again; `init` alone takes one away.
    const hasKey = await documentHasKey(world, url);
    return init(world, { ...args, url, auth: hasKey ? 'private_key_jwt' : 'none' });
  }
  const there = await readDocument(world, args.target);
  const settings = changedSettings(there, { ...args, url });
  await writeAndTell(world, withoutSlash(args.out ?? there.folder), settings);
  if (settings.keys.length > 0 && !(await documentHasKey(world, settings.url))) {
    world.tell('Note: the private half of its key is not kept on this machine for that address: logins with it fail.');
  }
  return 0;
}

async function writeAndTell(world: ClientMetadataWorld, folder: string, settings: DocumentSettings): Promise<void> {
  const path = await writeFolder(world, folder, settings);
  const { url, keys, redirectUris = ownRedirectUris } = settings;
  if (world.json) await world.out.json({ folder, path, url, redirectUris, keys: keys.length });
  else await world.out.line(path);
  world.tell(`Made ${folder} for ${url}`);
  const option = redirectOption(redirectUris);
  if (option !== '')
    world.tell(`The first login with it at an authorization server needs one that it lists: ${option}`);
}

/** The store for a new private key: the option, else the configuration, else the keychain. @throws Failure `usage` */
async function storeFor(world: ClientMetadataWorld, option: string | undefined): Promise<SecretStore> {
  const chosen =
    option === undefined ? undefined : readStoreOption(option, '--store', 'postern client-metadata --help');
  return world.stores.of(chosen ?? (await world.configuration()).store ?? 'keychain');
}

/** `client-metadata rotate`: a new key before the old one; with `--retire` the new one alone. */
export async function rotate(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const there = await readDocument(world, args.target);
  const { path, folder } = there;
  const settings = changedSettings(there);
  const changed = args.retire
    ? await retireKey(world, { settings, path })
    : await rotateKey(world, { settings, path, store: await storeFor(world, args.store) });
  await writeFolder(world, folder, changed);
  const removed = args.retire ? await forgetOldKeys(world, changed, world.signal) : 0;
  const keys = changed.keys.map((key) => key['kid']);
  if (world.json) await world.out.json({ path, url: changed.url, keys, removed });
  else await world.out.line(path);
  const lines = args.retire ? retired : rotated(path);
  for (const line of lines) world.tell(line);
  return 0;
}

const retired = [
  'The document publishes the new key alone, and the private half of the old one is removed.',
  'Publish the folder again.',
];

const rotated = (path: string) => [
  'The document publishes a new key beside the old one. Publish the folder again: logins use the new key',
  'where it is known, the old one elsewhere. When caches have run out (an hour, as the folder says), end it:',
  `  postern client-metadata rotate ${shellWord(path)} --retire`,
];
