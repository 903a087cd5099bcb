import type { JsonValue } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';

/** What is wrong, or unwise, about a client ID metadata document, its address, or the way it is served. */
export interface Finding {
  /** Stable name in snake_case. */
  readonly code: string;
  /** The rule's id in the project's rule table, and the section of the specification that it comes from. */
  readonly rule: string;
  /** `failure`: an authorization server that keeps to the rules refuses it. `warning`: some do, or users lose by it. */
  readonly verdict: 'failure' | 'warning';
  /** One sentence; the document's own words come quoted. */
  readonly what: string;
  /** One sentence: what to change. */
  readonly remedy: string;
}

type Row = readonly [verdict: Finding['verdict'], rule: string, remedy: string];

/** What is wrong, with a remedy where the table's does not do. Anything else: nothing is. */
type Problem = string | readonly [what: string, remedy: string] | false | undefined;

/** A table of findings by code. What it returns makes those of them that there are, in the order in which they come. */
export function findingsOf<Code extends string>(table: Readonly<Record<Code, Row>>) {
  return (problems: Partial<Readonly<Record<Code, Problem>>>): readonly Finding[] =>
    (Object.keys(problems) as Code[]).flatMap((code) => {
      const problem = problems[code];
      if (problem === undefined || problem === false) return [];
      const [verdict, rule, usual] = table[code];
      const [what, remedy] = typeof problem === 'string' ? [problem, usual] : problem;
      return [{ code, rule, verdict, what, remedy }];
    });
}

/** A value of the document as a finding shows it: quoted, a text as it is, anything else as JSON. */
export function quotedValue(value: JsonValue | undefined, max: number): string {
  return quoted(typeof value === 'string' ? value : JSON.stringify(value ?? null), max);
}
