import { lexSource } from '../architecture/lexed-source.js';

/** A rule that no test shows yet, and why. */
export interface NotYet {
  readonly rule: string;
  /** The day it was put here, `YYYY-MM-DD`. */
  readonly since: string;
  readonly reason: string;
  /** The issue that brings the test. */
  readonly issue: number;
}

export interface RulesJudgement {
  /** Rules that no title names and that are not excused. */
  readonly missing: readonly string[];
  /** Excused rules that a title names by now. */
  readonly stale: readonly string[];
  /** Names in titles or on the list that are no rules. */
  readonly unknown: readonly string[];
}

/** Holds the rules of all tables against the titles of all tests and the list of those that have none yet. */
export function judgeRules(
  rules: readonly string[],
  notYet: readonly NotYet[],
  testSources: readonly string[],
): RulesJudgement {
  const named = new Set(testSources.flatMap(rulesNamedIn));
  const excused = new Set(notYet.map(({ rule }) => rule));
  return {
    missing: rules.filter((rule) => !named.has(rule) && !excused.has(rule)),
    stale: [...excused].filter((rule) => named.has(rule)),
    unknown: [...named, ...excused].filter((rule) => !rules.includes(rule)),
  };
}

/** The rules named in square brackets in strings and templates of a test file, but for tests left out or undone. */
export function rulesNamedIn(source: string): readonly string[] {
  return idsNamedIn(source).filter((id) => !id.startsWith('A-'));
}

/** The same, and the attacks. */
export function idsNamedIn(source: string): readonly string[] {
  const { code, strings, templates } = lexSource(source);
  const idle = new Set([...code.matchAll(/\.(?:skip|todo)\(\s*"(\d+)"/g)].map(([, index]) => Number(index)));
  const texts = [...strings.filter((_, index) => !idle.has(index)), ...templates];
  return texts.flatMap((text) =>
    [...text.matchAll(/\[([RQ]-[0-9]+\.[0-9]+[a-z]?|A-[0-9]+)\]/g)].map(([, id]) => id ?? ''),
  );
}

/** The rows of the rule table: one per rule, `| id | who | level | rule |`. */
export function rulesInTable(table: string): readonly Rule[] {
  return rulesIn(table, /^\| (R-[0-9.]+[a-z]?) \| ([^|]+) \| ([MSY]) \| (.+) \|$/);
}

/** The same of the newer revision: `| id | who | level | what was | rule | source | check | how far we are |`. */
export function newerRulesInTable(table: string): readonly Rule[] {
  return rulesIn(table, /^\| (Q-[0-9.]+) \| ([^|]+) \| ([MSY–]) \| [NC=] \| (.+) \| [^|]+ \| [^|]+ \| [^|]+ \|$/);
}

function rulesIn(table: string, row: RegExp): readonly Rule[] {
  return table.split('\n').flatMap((line) => {
    const [, id, who, level, rule] = row.exec(line) ?? [];
    return id && who && level && rule ? [{ id, who, level, rule }] : [];
  });
}

export interface Rule {
  readonly id: string;
  readonly who: string;
  readonly level: string;
  readonly rule: string;
}
