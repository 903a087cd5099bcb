import { settings } from '../../core/configuration/settings.js';
import { credentialFormats } from '../../credential/credential.options.js';
import { catalogue } from '../../doctor/catalogue/catalogue.js';
import { browserNames, usualBrowser } from '../../login/browser/chosen-browser.js';
import { listFaults } from '../../sandbox/faults/table.js';
import { programs } from '../../setup/programs/programs.js';
import { shells } from '../completion/table.js';
import { type CompletionTables, completionTables, type Offer } from '../completion/tables.js';
import { globalOptions } from '../global-options.js';
import { ownTables } from '../help/own-tables.js';
import { topics } from '../help/topics/topics.js';
import { registry } from '../registry.js';
import { resultFields } from './result-fields.js';

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
    browsers: [usualBrowser, ...browserNames],
    findings: [['list', 'all of them'], ...Object.entries(catalogue).map(([id, { title }]): Offer => [id, title])],
    settings: settings.map(({ key, describe }): Offer => [key, describe]),
    fields: resultFields(),
    faults: ['list', ...listFaults().map(({ name }) => name)],
  });
}
