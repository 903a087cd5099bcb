import { readdirSync, readFileSync } from 'node:fs';
import { settings } from '../../core/configuration/settings.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import { credentialFormats } from '../../credential/credential.options.js';
import { catalogue } from '../../doctor/catalogue/catalogue.js';
import { browserNames, usualBrowser } from '../../login/browser/chosen-browser.js';
import { listFaults } from '../../sandbox/faults/table.js';
import { programs } from '../../setup/programs/programs.js';
import { shells } from '../completion/table.js';
import { type CompletionTables, completionTables, type Offer } from '../completion/tables.js';
import { globalOptions } from '../global-options.js';
import { ownTables } from '../help/own-tables.js';
import { readTopic, topicNames } from '../help/topics.js';
import { registry } from '../registry.js';

/** What the build writes to `dist/completion.json`. */
export function builtTables(): CompletionTables {
  const tables = [...registry.map(({ table }) => table), ...ownTables];
  const named: readonly Offer[] = tables.map(({ name, summary }) => [name, summary]);
  return completionTables(tables, globalOptions, {
    commands: named,
    topics: topicNames.map((name) => [name, readTopic(name).summary]),
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

/** Where the schemas of results stand, for the build. */
const folder = new URL('../../../../src/app/schemas/', import.meta.url);

/** A path that is longer leads to what a server sent. In names. */
const longestPath = 5;

/** By command, the paths to the values of its JSON result, as its schema has them. A list is represented by its first member. */
function resultFields(): Readonly<Record<string, readonly string[]>> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    files.flatMap((file) => {
      const schema = asObject(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))) ?? {};
      const paths = [...new Set(pathsIn(schema, schema, []))];
      return paths.length === 0 ? [] : [[file.replace(/\.json$/, ''), paths]];
    }),
  );
}

function pathsIn(root: JsonObject, schema: JsonObject, path: readonly string[]): readonly string[] {
  const meant = referredTo(root, schema);
  const forms = [meant['anyOf'], meant['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  const members: (readonly [name: string, schema: JsonObject])[] = [
    ...Object.entries(asObject(meant['properties']) ?? {}),
    ...(meant['items'] === undefined ? [] : ([['0', meant['items']]] as const)),
  ].flatMap(([name, value]) => [[name, asObject(value) ?? {}] as const]);
  const below = [
    ...forms.flatMap((form) => pathsIn(root, asObject(form) ?? {}, path)),
    ...(path.length >= longestPath ? [] : members).flatMap(([name, member]) => {
      const at = [...path, name];
      const deeper = pathsIn(root, member, at);
      return deeper.length === 0 ? [at.join('.')] : deeper;
    }),
  ];
  return below;
}

function referredTo(root: JsonObject, schema: JsonObject): JsonObject {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref'] ?? '')) ?? [];
  return name === undefined ? schema : (asObject(asObject(root['$defs'])?.[name]) ?? {});
}
