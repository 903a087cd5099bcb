import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  freshSeconds,
  longestFreshness,
  unstatedFreshness,
} from '../../../src/sandbox/authorization-server/client-documents/freshness.js';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const at = (seconds: number): string => new Date(now + seconds * 1000).toUTCString();

const cases: readonly (readonly [title: string, headers: NodeJS.Dict<string[]>, seconds: number])[] = [
  ['max-age', { 'cache-control': ['max-age=600'] }, 600],
  ['max-age in any case, among others', { 'cache-control': ['public, Max-Age=600, immutable'] }, 600],
  ['max-age in quotes', { 'cache-control': ['max-age="600"'] }, 600],
  ['in two header lines', { 'cache-control': ['public', 'max-age=60'] }, 60],
  ['s-maxage is for shared caches', { 'cache-control': ['max-age=600, s-maxage=30'] }, 30],
  ['less the age it has', { 'cache-control': ['max-age=600'], age: ['590'] }, 10],
  ['older than it may be', { 'cache-control': ['max-age=600'], age: ['601'] }, 0],
  ['less the time since it was made', { 'cache-control': ['max-age=600'], date: [at(-100)] }, 500],
  ['made in the future', { 'cache-control': ['max-age=600'], date: [at(3600)] }, 600],
  ['no-store', { 'cache-control': ['no-store'] }, 0],
  ['no-store beats max-age', { 'cache-control': ['max-age=600, no-store'] }, 0],
  ['no-cache', { 'cache-control': ['max-age=600, no-cache'] }, 0],
  ['private', { 'cache-control': ['private, max-age=600'] }, 0],
  ['no-store inside a quoted value is none', { 'cache-control': ['x="no-store", max-age=9'] }, 9],
  ['max-age=0', { 'cache-control': ['max-age=0'] }, 0],
  ['an absurd age', { 'cache-control': ['max-age=99999999999999999999'] }, longestFreshness],
  ['a year', { 'cache-control': ['max-age=31536000'] }, longestFreshness],
  ['a negative age', { 'cache-control': ['max-age=-1'] }, 0],
  ['no number', { 'cache-control': ['max-age=1e9'] }, 0],
  ['no value', { 'cache-control': ['max-age'] }, 0],
  ['said twice', { 'cache-control': ['max-age=600, max-age=700'] }, 0],
  ['an age that is none', { 'cache-control': ['max-age=600'], age: ['old'] }, 0],
  ['two ages', { 'cache-control': ['max-age=600'], age: ['1', '2'] }, 0],
  ['a negative Age makes nothing younger', { 'cache-control': ['max-age=600'], age: ['-9999'] }, 600],
  ['expires', { expires: [at(120)] }, 120],
  ['expires, counted from its own date', { expires: [at(120)], date: [at(-60)] }, 120],
  ['expired', { expires: [at(-1)] }, 0],
  ['expires 0', { expires: ['0'] }, 0],
  ['expires that is no date', { expires: ['tomorrow'] }, 0],
  ['max-age beats expires', { expires: [at(120)], 'cache-control': ['max-age=5'] }, 5],
  ['expires in the year 9999', { expires: ['Fri, 31 Dec 9999 23:59:59 GMT'] }, longestFreshness],
  ['vary *', { 'cache-control': ['max-age=600'], vary: ['accept, *'] }, 0],
  ['another vary', { 'cache-control': ['max-age=600'], vary: ['accept-encoding'] }, 600],
  ['nothing said', {}, unstatedFreshness],
  ['nothing said about it', { 'cache-control': ['public'] }, unstatedFreshness],
];

for (const [title, headers, seconds] of cases) {
  test(`[R-4.4a] how long a document is kept: ${title}`, () => {
    assert.equal(freshSeconds(headers, now), seconds);
  });
}

test('[R-4.4a] whatever the headers are, a document is kept for a whole number of seconds, at most a day', () => {
  const value = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[a-z-]{1,9}(=("?[0-9a-z ,]{0,12}"?))?$/),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  const headers = fc.dictionary(
    fc.constantFrom('cache-control', 'expires', 'age', 'date', 'vary'),
    fc.array(value, { maxLength: 3 }),
  );
  fc.assert(
    fc.property(headers, (given) => {
      const seconds = freshSeconds(given, now);
      assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= longestFreshness);
    }),
  );
});
