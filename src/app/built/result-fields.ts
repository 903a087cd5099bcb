import { readdirSync, readFileSync } from 'node:fs';
import { asObject, type JsonObject } from '../../core/text/json.js';

/** Where the schemas of results stand, for the build. */
const folder = new URL('../../../../src/app/schemas/', import.meta.url);

/** A path that is longer leads to what a server sent. In names. */
const longestPath = 5;

/** By command, the paths to the values of its JSON result, as its schema has them. A list is represented by its first member. */
export function resultFields(): Readonly<Record<string, readonly string[]>> {
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
