import { buildFolder, fileNameOf } from '../../flows/client-metadata/folder/build-folder.js';
import { forgetOldKeys, retireKey, rotateKey } from '../../flows/client-metadata/keys.js';
import { changedSettings } from '../../flows/client-metadata/settings.js';
import { shellWord } from '../../primitives/quoting.js';
import type { CommandContext, CommandExit } from '../command.js';
import type { DocumentArguments } from '../commands/client-metadata.js';
import { readDocument, writeFolder } from './documents.js';
import { storeFor } from './store.js';

/** `client-metadata rotate`: a new key beside the old one; with `--retire` the new one alone. */
export async function rotate(context: CommandContext, args: DocumentArguments): Promise<CommandExit> {
  const { ports, signal } = context;
  const there = await readDocument(context, args.target);
  const { path, folder } = there;
  const settings = changedSettings(there, { url: undefined, name: undefined, contact: undefined });
  const changed = args.retire
    ? await retireKey(ports, { settings, path })
    : await rotateKey(ports, { settings, path, store: await storeFor(context, args.store) });
  await writeFolder(context, folder, await buildFolder(changed, fileNameOf(changed.url)));
  const removed = args.retire ? await forgetOldKeys(ports, changed, signal) : 0;
  const keys = changed.keys.map((key) => key['kid']);
  if (context.options.json) await context.out.json({ path, url: changed.url, keys, removed });
  else await context.out.line(path);
  if (args.retire) {
    context.tell('The document publishes the new key alone, and the private half of the old one is removed.');
    context.tell('Publish the folder again.');
    return 0;
  }
  context.tell(
    'The document publishes a new key beside the old one. Publish the folder again: logins use the new key',
  );
  context.tell(
    'where it is known, the old one elsewhere. When caches have run out (an hour, as the folder says), end it:',
  );
  context.tell(`  postern client-metadata rotate ${shellWord(path)} --retire`);
  return 0;
}
