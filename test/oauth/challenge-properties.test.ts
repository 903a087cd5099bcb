import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseChallenges } from '../../src/oauth/challenge.js';
import { anyText } from '../support/arbitraries.js';

const tokenCharacters = [..."!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"];
const token = fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 1, maxLength: 8 });
const token68 = fc
  .tuple(fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~+/'), minLength: 1, maxLength: 8 }), fc.nat({ max: 2 }))
  .map(([text, padding]) => text + '='.repeat(padding));
const value = fc.oneof(
  token,
  fc.constantFrom('', 'Bearer resource_metadata=https://evil.example/', 'a, b=c', '", x="', '\\', '\\"', '=='),
  fc.string({ unit: fc.constantFrom(...' \t"\\,=;@az\u00e9'), maxLength: 12 }),
);
const parameters = fc.uniqueArray(fc.tuple(token, value), { selector: ([name]) => name, maxLength: 4 });
const challenge = fc.tuple(token, fc.oneof(token68, parameters));

const space = fc.constantFrom('', ' ', '\t', '  ');
const comma = fc.tuple(space, fc.constantFrom(',', ',,', ', ,'), space).map((parts) => parts.join(''));

/** A list of challenges, and one of the many ways to write it down. */
const written = fc
  .array(challenge, { maxLength: 5 })
  .chain((challenges) =>
    fc
      .tuple(...challenges.map((entry) => spelled(...entry)))
      .chain((elements) => fc.tuple(fc.constant(challenges), asLines(elements.flat()))),
  );

/** The list elements of one challenge; the first one begins with the scheme. */
function spelled(scheme: string, rest: string | [string, string][]): fc.Arbitrary<string[]> {
  const head = anyCase(scheme);
  if (typeof rest === 'string') {
    return fc.tuple(head, fc.constantFrom(' ', '  ')).map(([name, gap]) => [`${name}${gap}${rest}`]);
  }
  return fc.tuple(head, ...rest.map(parameterText)).map(([name, first, ...others]) => {
    return first === undefined ? [name] : [`${name} ${first}`, ...others];
  });
}

function parameterText([name, text]: [string, string]): fc.Arbitrary<string> {
  return fc.tuple(anyCase(name), space, space, literal(text)).map((parts) => {
    return `${parts[0]}${parts[1]}=${parts[2]}${parts[3]}`;
  });
}

/** A quoted string with as many backslashes as one likes, or a token where that says the same. */
function literal(text: string): fc.Arbitrary<string> {
  const escapes = fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length });
  const quoted = escapes.map((extra) => {
    const inner = [...text].map((character, at) => {
      return extra[at] || character === '"' || character === '\\' ? `\\${character}` : character;
    });
    return `"${inner.join('')}"`;
  });
  const isToken = text !== '' && [...text].every((character) => tokenCharacters.includes(character));
  return isToken ? fc.oneof(quoted, fc.constant(text)) : quoted;
}

function anyCase(text: string): fc.Arbitrary<string> {
  return fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((upper) => {
    return [...text].map((character, at) => (upper[at] ? character.toUpperCase() : character)).join('');
  });
}

/** Elements on one line or several, with any separators. */
function asLines(elements: readonly string[]): fc.Arbitrary<string[]> {
  const gaps = fc.array(fc.oneof(comma, fc.constant('\n')), { minLength: elements.length, maxLength: elements.length });
  return gaps.map((between) =>
    elements
      .map((element, at) => `${element}${between[at]}`)
      .join('')
      .split('\n'),
  );
}

test('challenges written in any way the grammar allows are read back as they were [R-2.4a] [A-12]', () => {
  fc.assert(
    fc.property(written, ([challenges, lines]) => {
      const parsed = parseChallenges(lines);
      assert.ok(parsed.ok);
      const found = parsed.challenges.map(({ scheme, token68: text, parameters: map, repeated }) => {
        assert.equal(repeated.size, 0);
        return [scheme, text ?? [...map]];
      });
      assert.deepEqual(found, challenges);
    }),
    { numRuns: 1000 },
  );
});

test('no input makes it throw, and each parameter found stands in the input [R-2.4a] [A-10]', () => {
  const pieces = ['Bearer', 'Basic', ' ', ',', '=', '"', '\\', 'a', 'resource_metadata', 'x==', '\t', '\x01', 'é', '@'];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(fc.oneof(soup, anyText()), { maxLength: 3 }), (lines) => {
      const parsed = parseChallenges(lines);
      const input = lines.join('\n').toLowerCase();
      for (const { scheme, parameters: map } of parsed.ok ? parsed.challenges : []) {
        assert.ok(input.includes(scheme));
        for (const name of map.keys()) {
          assert.match(name, /^[!#$%&'*+\-.^_`|~0-9a-z]+$/);
          assert.ok(input.includes(name));
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('text put into a quoted value, escaped as it must be, changes nothing else [A-10]', () => {
  fc.assert(
    fc.property(value, (text) => {
      const safe = text.replace(/["\\]/g, '\\$&');
      const parsed = parseChallenges([`Bearer realm="${safe}", scope="s", Basic realm="${safe}"`]);
      assert.ok(parsed.ok);
      assert.deepEqual(
        parsed.challenges.map(({ scheme, parameters: map }) => [scheme, Object.fromEntries(map)]),
        [
          ['bearer', { realm: text, scope: 's' }],
          ['basic', { realm: text }],
        ],
      );
    }),
  );
});
