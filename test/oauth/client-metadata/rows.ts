import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codesOf, judged } from './sample.js';

/** A document, and every finding about it, as `failure code` or `warning code`. */
export type Row = readonly [what: string, text: string, ...findings: readonly string[]];

/** One test a row: these findings and no others, each with a rule, a sentence and a remedy, and no secret repeated. */
export function testRows(rules: string, rows: readonly Row[]): void {
  for (const [what, text, ...findings] of rows) {
    test(`${rules} a document with ${what} is found out`, () => {
      const { findings: found } = judged(text);
      assert.deepEqual(codesOf({ findings: found }), findings);
      for (const { rule, what: said, remedy } of found) {
        assert.match(rule, /^R-[0-9]/);
        assert.match(said, /[.]$/);
        assert.match(remedy, /\S/);
        assert.doesNotMatch(
          said + remedy,
          /canary|the-private-part|\u202e/,
          'what is secret or steers is not repeated',
        );
      }
    });
  }
}
