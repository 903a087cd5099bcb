import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  asObject,
  type JsonProblem,
  type JsonValue,
  parseJson,
  stringField,
  stringListField,
} from '../../../src/core/text/json.js';
import { JsonNumber, jsonText } from '../../../src/core/text/json-number.js';
import { anyText } from '../../support/arbitraries.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function problemOf(text: string | Uint8Array): JsonProblem | 'none' {
  const parsed = parseJson(typeof text === 'string' ? bytes(text) : text);
  return parsed.ok ? 'none' : parsed.problem;
}

function parsedValue(text: string): JsonValue {
  const parsed = parseJson(bytes(text), { maxKeys: 1e6 });
  assert.ok(parsed.ok, text);
  return parsed.value;
}

test('a byte order mark, bad UTF-8 and trailing garbage are refused [A-20] [A-121]', () => {
  assert.equal(problemOf('\ufeff{}'), 'byte_order_mark');
  assert.equal(problemOf(new Uint8Array([0x22, 0xff, 0x22])), 'not_utf8');
  assert.equal(problemOf(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])), 'not_utf8');
  for (const text of ['', ' ', '{} x', '{}{}', '<html>', 'access_token=abc', '{"a":1,}', '[1,]', '[,1]', '{a:1}']) {
    assert.equal(problemOf(text), 'not_json', text);
  }
  for (const text of [
    '"',
    '"\\',
    '"a\nb"',
    '"\\x41"',
    '"\\u12"',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    '-',
    'nul',
    "'a'",
    '[1 2]',
  ]) {
    assert.equal(problemOf(text), 'not_json', text);
  }
});

test('a name twice in one object is an error, however it is spelled [A-20] [A-121]', () => {
  assert.equal(problemOf('{"issuer":1,"issuer":2}'), 'duplicate_key');
  assert.equal(problemOf('{"a":[{"x":1,"\\u0078":2}]}'), 'duplicate_key');
  assert.equal(problemOf('{"__proto__":1,"__proto__":2}'), 'duplicate_key');
  assert.equal(problemOf('{"a":{"x":1},"b":{"x":2}}'), 'none');
});

test('names of the language’s own prototype are names like any other [A-20] [A-121]', () => {
  const object = asObject(parsedValue('{"__proto__":{"admin":true},"constructor":1}'));
  assert.ok(object);
  assert.equal(Object.getPrototypeOf(object), null);
  assert.deepEqual(Object.keys(object), ['__proto__', 'constructor']);
  assert.equal(object['admin'], undefined);
  assert.equal(object['toString'], undefined);
  assert.equal(({} as Record<string, unknown>)['admin'], undefined);
});

test('depth and number of names have limits, and no depth overflows the stack [A-20] [A-258]', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(problemOf(nested(64)), 'none');
  assert.equal(problemOf(nested(65)), 'too_deep');
  assert.equal(problemOf('['.repeat(1_000_000)), 'too_deep');
  assert.equal(problemOf('{"a":'.repeat(1_000_000)), 'too_deep');
  const withKeys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join(',')}}`;
  assert.equal(problemOf(withKeys(10_000)), 'none');
  assert.equal(problemOf(withKeys(10_001)), 'too_many_keys');
  assert.deepEqual(parseJson(bytes('[[1]]'), { maxDepth: 1 }), { ok: false, problem: 'too_deep' });
  const lists = (count: number) => bytes(`[${Array(count).fill('[]').join(',')}]`);
  assert.ok(parseJson(lists(10_000)).ok);
  assert.deepEqual(parseJson(lists(10_001)), { ok: false, problem: 'too_many_keys' });
  assert.deepEqual(parseJson(bytes('{"a":{"b":1}}'), { maxKeys: 1 }), { ok: false, problem: 'too_many_keys' });
});

test('what is made of a document costs as much as it takes, and a name that stood there before costs little [A-257]', () => {
  const costs = (text: string, maxCost: number): boolean => parseJson(bytes(text), { maxKeys: 1e6, maxCost }).ok;
  const list = (entry: string) => `[${Array(1_000).fill(entry).join()}]`;
  for (const [entry, least] of [
    ['1', 10_000],
    ['[]', 50_000],
    ['"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"', 90_000],
    ['"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx€"', 150_000],
    ['{"a":1}', 60_000],
  ] as const) {
    assert.ok(!costs(list(entry), least), `${entry} costs more`);
    assert.ok(costs(list(entry), 2 * least), `${entry} costs less`);
  }
  const names = Array.from({ length: 1_000 }, (_, at) => `{"n${at}":1}`);
  assert.ok(!costs(`[${names.join()}]`, 300_000), 'each name is new');
  assert.ok(!costs(`{"${'x'.repeat(100_000)}":1}`, 200_000), 'a long name');
});

test('names that stand there again and again are the platform’s own, however they are spelled', () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '7',
    '\\n',
    '\\\\',
    'n',
    'é',
    '漢',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\ud800',
    'c'.repeat(30),
  );
  const name = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 30 }), (names) => {
      const text = `[${[...names, ...names].map((one) => `{"${one}":1}`).join()}]`;
      const parsed = parseJson(bytes(text));
      assert.ok(parsed.ok);
      assert.deepEqual(JSON.stringify(parsed.value), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('a refusal holds nothing of the text [A-20] [A-121]', () => {
  const parsed = parseJson(bytes('{"access_token":"canary-5311" "oops"'));
  assert.deepEqual(parsed, { ok: false, problem: 'not_json' });
});

test('a number beyond the doubles is Infinity, for the reader to see', () => {
  assert.equal(parsedValue('1e999'), Number.POSITIVE_INFINITY);
});

test('typed readers take null and other types for absent', () => {
  const object = asObject(parsedValue('{"a":"x","b":null,"c":1,"d":["x","y"],"e":["x",1],"f":[]}'));
  assert.ok(object);
  assert.equal(stringField(object, 'a'), 'x');
  for (const name of ['b', 'c', 'd', 'nothing', 'toString']) {
    assert.equal(stringField(object, name), undefined, name);
  }
  assert.deepEqual(stringListField(object, 'd'), ['x', 'y']);
  assert.deepEqual(stringListField(object, 'f'), []);
  assert.equal(stringListField(object, 'e'), undefined);
  assert.equal(stringListField(object, 'b'), undefined);
  for (const text of ['[]', 'null', '1', '"x"']) {
    assert.equal(asObject(parsedValue(text)), undefined);
  }
});

/** With ordinary prototypes again, so that it can be compared. */
const plain = (value: JsonValue): unknown => structuredClone(value);

test('reads what the platform’s parser reads', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      const spaced = JSON.stringify(JSON.parse(text), undefined, space);
      assert.deepEqual(plain(parsedValue(text)), plain(JSON.parse(text)));
      assert.deepEqual(plain(parsedValue(spaced)), plain(JSON.parse(spaced)));
    }),
  );
});

test('refuses what the platform’s parser refuses, and never throws', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"\\""',
    '"\\u00e9"',
    '1',
    '-',
    '0',
    '.5',
    'e3',
    'true',
    'null',
    ' ',
    '\n',
    '\x01',
    'é',
  ];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(soup, anyText()), (text) => {
      const problem = problemOf(text);
      if (problem !== 'duplicate_key' && problem !== 'byte_order_mark') {
        assert.equal(problem === 'none', isJson(text), text);
      }
    }),
    { numRuns: 300 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a long string with escapes is the platform’s own text, in memory that may be overwritten', () => {
  const unit = fc.constantFrom(
    'x',
    'é',
    '漢',
    '😀',
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u0041',
    '\\u00E9',
    '\\u6f22',
    '\\ud83d\\uDE00',
    '\\ud800',
    '\\udc00',
    '\\ud83dx',
  );
  const long = 'y'.repeat(70_000);
  fc.assert(
    fc.property(fc.array(unit), fc.array(unit), (before, behind) => {
      const text = `["${before.join('')}${long}${behind.join('')}",1]`;
      const parsed = parseJson(bytes(text));
      assert.ok(parsed.ok);
      assert.deepEqual(parsed.value, JSON.parse(text));
    }),
    { numRuns: 25 },
  );
});

test('a number that a double cannot hold is kept as it is spelled where that is asked for, and written so (RFC 8259 section 6)', () => {
  const kept = (text: string) => {
    const parsed = parseJson(bytes(text), { keepsNumbers: true });
    assert.ok(parsed.ok, text);
    return parsed.value;
  };
  const others = ['12345678901234567890', '-9007199254740993', '1e400', '-1E+400', '2e-400', '0.1234567890123456789'];
  for (const text of others) {
    assert.ok(kept(text) instanceof JsonNumber, text);
    assert.equal(jsonText(kept(`{"a":[${text},"x"],"b":1}`)), `{"a":[${text},"x"],"b":1}`);
    assert.equal(JSON.stringify(kept(text)), JSON.stringify(Number(text)), 'as a double where nobody asks for more');
  }
  assert.equal(jsonText(kept('[1e400]'), '  '), '[\n  1e400\n]');
  const same = [
    '0',
    '-0',
    '0.10',
    '1.0',
    '1e5',
    '1E-7',
    '100000000000000000000',
    '1e23',
    '0.0e999',
    '9007199254740992',
  ];
  for (const text of same) assert.equal(kept(text), Number(text), text);
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => kept(String(value)) === value));
});
