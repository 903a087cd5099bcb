import { documentThere } from '../../errors/client-metadata.js';
import { buildFolder, fileNameOf } from '../../flows/client-metadata/folder/build-folder.js';
import { forgetOldKeys, keysFor } from '../../flows/client-metadata/keys.js';
import { changedSettings, newSettings } from '../../flows/client-metadata/settings.js';
import { shellWord } from '../../primitives/quoting.js';
import type { CommandContext, CommandExit } from '../command.js';
import type { DocumentArguments } from '../commands/client-metadata.js';
import { isThere, readDocument, usualFolder, writeFolder } from './documents.js';
import { storeFor } from './store.js';

/** `client-metadata init`: the folder for an address, new. */
export async function init(context: CommandContext, args: DocumentArguments): Promise<CommandExit> {
  const { ports, signal } = context;
  const url = args.url ?? (await context.configuration()).clientMetadataUrl;
  const wish = { url, name: args.name, contact: args.contact };
  const folder = (args.out ?? usualFolder).replace(/(?<=.)\/+$/, '');
  const checked = newSettings(wish, []);
  const file = fileNameOf(checked.url);
  const path = `${folder}/${file}`;
  if (await isThere(context, path)) throw documentThere(path);
  const withKey = args.auth === 'private_key_jwt';
  const keys = withKey ? await keysFor(ports, checked.url, await storeFor(context, args.store)) : [];
  const settings = { ...checked, keys };
  await writeFolder(context, folder, await buildFolder(settings, file));
  await tellResult(context, { folder, path, url: settings.url, keys: keys.length });
  // A key from before would go on being used for a document that says that there is none.
  const forgotten = withKey ? 0 : await forgetOldKeys(ports, settings, signal);
  if (forgotten > 0)
    context.tell(
      'The private key that was kept for this address is removed: the client is a public one now.',
    );
  const { host } = new URL(settings.url);
  context.tell(`Next: publish everything in ${folder} at ${host} (its README.md says how), then:`);
  context.tell(`  postern client-metadata check ${shellWord(path)}`);
  return 0;
}

/** `client-metadata build`: the folder again, from its own document. */
export async function build(context: CommandContext, args: DocumentArguments): Promise<CommandExit> {
  const there = await readDocument(context, args.target);
  const url = args.url ?? (await context.configuration()).clientMetadataUrl;
  const settings = changedSettings(there, { url, name: args.name, contact: args.contact });
  const folder = (args.out ?? there.folder).replace(/(?<=.)\/+$/, '');
  const file = fileNameOf(settings.url);
  await writeFolder(context, folder, await buildFolder(settings, file));
  const path = `${folder}/${file}`;
  await tellResult(context, { folder, path, url: settings.url, keys: settings.keys.length });
  return 0;
}

async function tellResult(
  context: CommandContext,
  made: { readonly folder: string; readonly path: string; readonly url: string; readonly keys: number },
): Promise<void> {
  if (context.options.json) await context.out.json(made);
  else await context.out.line(made.path);
  context.tell(`Made ${made.folder} for ${made.url}`);
}
