import { credentialFormats } from '../../credential/credential.options.js';
import { listFaults } from '../../sandbox/faults/table.js';
import { programs } from '../../setup/programs/programs.js';
import { shells } from '../completion/table.js';
import { type CompletionTables, completionTables, type Offer } from '../completion/tables.js';
import { globalOptions } from '../global-options.js';
import { ownTables } from '../help/own-tables.js';
import { topics } from '../help/topics/topics.js';
import { registry } from '../registry.js';

/** What the build writes to `dist/completion.json`. */
export function builtTables(): CompletionTables {
  const tables = [...registry.map(({ table }) => table), ...ownTables];
  const named: readonly Offer[] = tables.map(({ name, summary }) => [name, summary]);
  return completionTables(tables, globalOptions, {
    commands: named,
    topics: topics.map(({ name, summary }) => [name, summary]),
    programs: programs.map(({ name }) => name),
    formats: credentialFormats,
    shells,
    faults: ['list', ...listFaults().map(({ name }) => name)],
  });
}
