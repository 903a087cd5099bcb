import { type LexedSource, lexSource } from './lexed-source.js';

export interface Import {
  /** As written; undefined when it is computed. */
  readonly target: string | undefined;
  /** `type` is gone at run time; `static` runs when the file is loaded, `dynamic` when the code gets there. */
  readonly when: 'type' | 'static' | 'dynamic';
}

const fromClause = /\b(?:import|export)(\s+type)?\s([\w$\s{},*]*?)\bfrom\s*"(\d+)"/g;
const adjacentFrom = /\b(?:import|export)(\s+type)?(\s*[{*][\w$\s{},*]*?)\bfrom\s*"(\d+)"/g;
const sideEffect = /\bimport\s*"(\d+)"/g;
const call = /(\btypeof\s+)?\b(?:import|require(?:\.resolve)?|getBuiltinModule)\s*\(\s*(?:"(\d+)"\s*[,)])?/g;

/** Every import of a file, of whatever form: `import`, `export … from`, `import()`, `require()`. */
export function importsOf(text: string): readonly Import[] {
  return importsOfLexed(lexSource(text));
}

function importsOfLexed({ code, strings }: LexedSource): readonly Import[] {
  const text = (index: string | undefined) => (index === undefined ? undefined : strings[Number(index)]);
  const found = new Map<number, Import>();
  for (const match of [...code.matchAll(fromClause), ...code.matchAll(adjacentFrom)]) {
    found.set(match.index, { target: text(match[3]), when: match[1] === undefined ? 'static' : 'type' });
  }
  for (const match of code.matchAll(sideEffect)) {
    found.set(match.index, { target: text(match[1]), when: 'static' });
  }
  for (const match of code.matchAll(call)) {
    found.set(match.index, { target: text(match[2]), when: match[1] === undefined ? 'dynamic' : 'type' });
  }
  return [...found].sort(([one], [other]) => one - other).map(([, entry]) => entry);
}
