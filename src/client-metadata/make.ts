import type { CommandExit } from '../core/command.js';
import { storeInWords } from '../core/records.js';
import { shellWord } from '../core/text/printable.js';
import { documentHasKey } from '../tokens/client-keys.js';
import type { DocumentArguments } from './client-metadata.options.js';
import { isThere, placeOf, readDocument, usualFolder, writeFolder } from './documents.js';
import { documentThere } from './failures.js';
import { buildFolder, fileNameOf } from './hosted-folder.js';
import { forgetOldKeys, keysFor, retireKey, rotateKey } from './keys.js';
import type { ClientMetadataWorld } from './ports.js';
import { changedSettings, newSettings } from './settings.js';
import { storeFor } from './store-choice.js';

/** `client-metadata init`: the folder for an address, new. */
export async function init(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal } = world;
  const url = args.url ?? (await world.configuration()).clientMetadataUrl;
  const wish = { url, name: args.name, contact: args.contact };
  const folder = (args.out ?? usualFolder).replace(/(?<=.)\/+$/, '');
  const checked = newSettings(wish, []);
  const file = fileNameOf(checked.url);
  const path = `${folder}/${file}`;
  if (await isThere(world, path)) throw documentThere(path);
  const withKey = args.auth === 'private_key_jwt';
  const store = withKey ? await storeFor(world, args.store) : undefined;
  const keys = store === undefined ? [] : await keysFor(world, checked.url, store);
  const settings = { ...checked, keys };
  await writeFolder(world, folder, await buildFolder(settings, file));
  await tellResult(world, { folder, path, url: settings.url, keys: keys.length });
  // A key from before would go on being used for a document that says that there is none.
  const forgotten = withKey ? 0 : await forgetOldKeys(world, settings, signal);
  if (forgotten > 0)
    world.tell('The private key that was kept for this address is removed: the client is a public one now.');
  if (store !== undefined) world.tell(`Its private key is in: ${storeInWords(store.kind)}.`);
  tellNext(world, settings.url, { folder, path });
  return 0;
}

function tellNext(
  world: ClientMetadataWorld,
  url: string,
  { folder, path }: { readonly folder: string; readonly path: string },
): void {
  const { hostname, host } = new URL(url);
  const isHere = ['127.0.0.1', 'localhost'].includes(hostname);
  world.tell(
    isHere
      ? `Next, since that address is this machine: postern client-metadata serve ${shellWord(path)} --self-signed`
      : `Next: publish everything in ${folder} at ${host} (its README.md says how), then:`,
  );
  if (!isHere) world.tell(`  postern client-metadata check ${shellWord(path)}`);
}

/** `client-metadata build`: the folder again, from its own document; else, where none is named, from the configuration. */
export async function build(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const url = args.url ?? (await world.configuration()).clientMetadataUrl;
  if (args.target === undefined && url !== undefined && !(await isThere(world, placeOf(undefined).path))) {
    // A key that is kept for that address is published again; `init` alone takes one away.
    const hasKey = await documentHasKey(world, url);
    return init(world, { ...args, url, auth: hasKey ? 'private_key_jwt' : 'none' });
  }
  const there = await readDocument(world, args.target);
  const settings = changedSettings(there, { url, name: args.name, contact: args.contact });
  const folder = (args.out ?? there.folder).replace(/(?<=.)\/+$/, '');
  const file = fileNameOf(settings.url);
  await writeFolder(world, folder, await buildFolder(settings, file));
  const path = `${folder}/${file}`;
  await tellResult(world, { folder, path, url: settings.url, keys: settings.keys.length });
  if (settings.keys.length > 0 && !(await documentHasKey(world, settings.url))) {
    world.tell('Note: the private half of its key is not kept on this machine for that address: logins with it fail.');
  }
  return 0;
}

async function tellResult(
  world: ClientMetadataWorld,
  made: { readonly folder: string; readonly path: string; readonly url: string; readonly keys: number },
): Promise<void> {
  if (world.json) await world.out.json(made);
  else await world.out.line(made.path);
  world.tell(`Made ${made.folder} for ${made.url}`);
}

/** `client-metadata rotate`: a new key beside the old one; with `--retire` the new one alone. */
export async function rotate(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal } = world;
  const there = await readDocument(world, args.target);
  const { path, folder } = there;
  const settings = changedSettings(there, { url: undefined, name: undefined, contact: undefined });
  const changed = args.retire
    ? await retireKey(world, { settings, path })
    : await rotateKey(world, { settings, path, store: await storeFor(world, args.store) });
  await writeFolder(world, folder, await buildFolder(changed, fileNameOf(changed.url)));
  const removed = args.retire ? await forgetOldKeys(world, changed, signal) : 0;
  const keys = changed.keys.map((key) => key['kid']);
  if (world.json) await world.out.json({ path, url: changed.url, keys, removed });
  else await world.out.line(path);
  if (args.retire) {
    world.tell('The document publishes the new key alone, and the private half of the old one is removed.');
    world.tell('Publish the folder again.');
    return 0;
  }
  world.tell('The document publishes a new key beside the old one. Publish the folder again: logins use the new key');
  world.tell(
    'where it is known, the old one elsewhere. When caches have run out (an hour, as the folder says), end it:',
  );
  world.tell(`  postern client-metadata rotate ${shellWord(path)} --retire`);
  return 0;
}
