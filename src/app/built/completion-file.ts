import type { CommandTable, OptionSpec } from '../../core/command.js';
import { settings } from '../../core/configuration/settings.js';
import { credentialFormats } from '../../credential/credential.options.js';
import { readCatalogue } from '../../doctor/findings.js';
import { browserNames, usualBrowser } from '../../login/browser/chosen-browser.js';
import { listFaults } from '../../sandbox/faults/table.js';
import { programs } from '../../setup/programs/programs.js';
import { shells } from '../completion/scripts.js';
import { type CompletionTables, type Offer, plain } from '../completion/values.js';
import { ownTables } from '../help/own-tables.js';
import { readTopic, topicNames } from '../help/topics.js';
import { registry } from '../registry.js';

/** What the build writes to `dist/completion.json`. */
export function builtTables(): CompletionTables {
  const catalogue = readCatalogue(readTopic('findings').text);
  const tables = [...registry.map(({ table }) => table), ...ownTables];
  return {
    commands: tables.map(completed),
    lists: {
      topics: topicNames.map((name) => [name, readTopic(name).summary]),
      programs: plain(programs.map(({ name }) => name)),
      formats: plain(credentialFormats),
      shells: plain(shells),
      browsers: plain([usualBrowser, ...browserNames]),
      findings: [['list', 'all of them'], ...Object.entries(catalogue).map(([id, { title }]): Offer => [id, title])],
      settings: settings.map(({ key, describe }): Offer => [key, describe]),
      faults: plain(['list', ...listFaults().map(({ name }) => name)]),
    },
  };
}

/** A table without what only help shows: the file is read at each Tab. */
function completed({ name, aliases = [], summary, positionals, rest, options }: CommandTable): CommandTable {
  const words = positionals.map(({ name: word, many = false }) => ({
    name: word,
    many,
    describe: '',
    required: false,
  }));
  const specs = options.map(
    ({ fallback: _fallback, env: _env, group: _group, topic: _topic, ...spec }): OptionSpec => spec,
  );
  return { name, aliases, summary, positionals: words, ...(rest && { rest }), options: specs };
}
