import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bearerChallenge, parseChallenges } from '../../src/oauth/challenge.js';
import { anyText } from '../support/arbitraries.js';

/** Challenges as plain values: scheme, token68 or parameters. */
function read(...values: string[]): unknown {
  const parsed = parseChallenges(values);
  assert.ok(parsed.ok);
  return parsed.challenges.map((challenge) => [
    challenge.scheme,
    challenge.token68 ?? Object.fromEntries(challenge.parameters),
  ]);
}

test('the example of RFC 9110 section 11.6.1 holds three challenges [R-2.4a]', () => {
  assert.deepEqual(read('Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""'), [
    ['basic', { realm: 'simple' }],
    ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }],
  ]);
});

test('several schemes, odd letter case, token68, empty elements and trailing commas [R-2.4a] [A-12]', () => {
  assert.deepEqual(
    read('Newscheme, ,,NEGOTIATE  YWJj/+-._~==\t,bEaReR ERROR="x" , ,Scope = a ,, DPoP algs="ES256 RS256",'),
    [
      ['newscheme', {}],
      ['negotiate', 'YWJj/+-._~=='],
      ['bearer', { error: 'x', scope: 'a' }],
      ['dpop', { algs: 'ES256 RS256' }],
    ],
  );
  assert.deepEqual(read('Bearer'), [['bearer', {}]]);
  assert.deepEqual(read('Bearer ,'), [['bearer', {}]]);
  assert.deepEqual(read('Bearer abc'), [['bearer', 'abc']]);
  assert.deepEqual(read('', ' , ,', '\t'), []);
});

test('several header lines are one list, and a broken line does not reach into the next [R-2.4a] [A-11]', () => {
  assert.deepEqual(read('Basic realm="a"', 'Bearer scope="x"', 'error="y"'), [
    ['basic', { realm: 'a' }],
    ['bearer', { scope: 'x', error: 'y' }],
  ]);
  assert.deepEqual(read('Bearer realm="never closed, scope=x', 'Basic realm="b"'), [
    ['bearer', {}],
    ['basic', { realm: 'b' }],
  ]);
});

test('quoted pairs are unescaped once [R-2.4a]', () => {
  assert.deepEqual(read(String.raw`Bearer a="\"", b="\\", c="\\\"", d="\a\,", e=""`), [
    ['bearer', { a: '"', b: '\\', c: '\\"', d: 'a,', e: '' }],
  ]);
});

test('text inside a quoted string never becomes a parameter or a challenge [R-2.4a] [A-10]', () => {
  const evil = 'resource_metadata=https://evil.example/';
  assert.deepEqual(read(`Bearer error_description="no, ${evil}, Bearer ${evil}"`), [
    ['bearer', { error_description: `no, ${evil}, Bearer ${evil}` }],
  ]);
  assert.deepEqual(read(`Basic realm="x, Bearer ${evil}"`), [['basic', { realm: `x, Bearer ${evil}` }]]);
  assert.deepEqual(read(`Bearer error_description="a\\", resource_metadata=\\"https://evil.example/"`), [
    ['bearer', { error_description: 'a", resource_metadata="https://evil.example/' }],
  ]);
  assert.deepEqual(read(`Bearer error_description='a, realm="b", ${evil}'`), [
    ['bearer', { error_description: "'a", realm: 'b' }],
  ]);
});

test('a name that comes twice is reported, and its first value kept [A-11]', () => {
  const parsed = parseChallenges(['Bearer Scope=a, scope="b", SCOPE=c, x=1']);
  assert.ok(parsed.ok);
  assert.deepEqual([...(parsed.challenges[0]?.repeated ?? [])], ['scope']);
  assert.equal(parsed.challenges[0]?.parameters.get('scope'), 'a');
});

test('what is malformed becomes no parameter, and what follows is attached to nobody else [R-2.4a]', () => {
  assert.deepEqual(read('Bearer a="x"y, b=1'), [['bearer', { b: '1' }]]);
  assert.deepEqual(read('Bearer a="x" b="y"'), [['bearer', {}]]);
  assert.deepEqual(read('Bearer a=, b=1'), [['bearer', 'a=']]);
  assert.deepEqual(read('Bearer x=1, a=, b=1'), [['bearer', { x: '1', b: '1' }]]);
  assert.deepEqual(read('Bearer a="x\x01", b=1'), [['bearer', { b: '1' }]]);
  assert.deepEqual(read('Bearer a=é, b=1'), [['bearer', { b: '1' }]]);
  assert.deepEqual(read('Bearer a=1, B@sic realm="x", scope="evil"'), [['bearer', { a: '1' }]]);
  assert.deepEqual(read('Bearer Basic realm="x", scope="evil"'), [['bearer', {}]]);
  assert.deepEqual(read('Bearer abc def, scope="evil"'), [['bearer', {}]]);
  assert.deepEqual(read('Negotiate abc==, scope="evil"'), [['negotiate', 'abc==']]);
  assert.deepEqual(read('scope="orphan", =x, "y", Bearer a=1'), [['bearer', { a: '1' }]]);
});

test('too much text and too many challenges are named, not parsed [A-13] [A-259]', () => {
  assert.deepEqual(parseChallenges([`Bearer a="${'x'.repeat(1_000_000)}"`]), { ok: false, problem: 'too_large' });
  assert.deepEqual(parseChallenges([','.repeat(100_000)]), { ok: false, problem: 'too_large' });
  assert.deepEqual(parseChallenges(Array.from({ length: 1000 }, () => 'Bearer a=1')), {
    ok: false,
    problem: 'too_large',
  });
  assert.deepEqual(parseChallenges([Array.from({ length: 17 }, () => 'a').join(',')]), {
    ok: false,
    problem: 'too_many',
  });
  assert.equal(parseChallenges([Array.from({ length: 16 }, () => 'a').join(',')]).ok, true);
});

test('baits for backtracking at the size limit end at once [A-13] [A-259]', () => {
  const baits = [
    '\\',
    '"\\',
    '\\"',
    'a="',
    '"',
    ' ',
    'a ',
    'a=b ',
    'a=" ',
    '= ',
    '=',
    ', ',
    '\\\\',
    'a=\\',
    'a\t',
    '"a"',
    '"a" ',
  ];
  const started = process.cpuUsage().user;
  for (const bait of baits) {
    for (const start of ['Bearer ', 'Bearer a="', 'Bearer a=b', '']) {
      for (const end of ['', '"', '\x01', '\\', '!']) {
        const body = bait.repeat(8192 / bait.length).slice(0, 8192 - start.length - end.length);
        parseChallenges([`${start}${body}${end}`]);
      }
    }
  }
  const perCall = (process.cpuUsage().user - started) / 1000 / (baits.length * 4 * 5);
  assert.ok(perCall < 50, `${perCall} ms of CPU for 8 KiB`);
});

test('the parameters of the one Bearer challenge, beside other schemes [R-2.4a] [A-12]', () => {
  const lines = [
    'DPoP algs="ES256", Basic realm="not this", scope="nor this"',
    'bearer Realm="r", Error="insufficient_scope", error_description="why", scope="a b", other=1, resource_metadata="https://h/m"',
  ];
  assert.deepEqual(bearerChallenge(lines), {
    kind: 'bearer',
    realm: 'r',
    error: 'insufficient_scope',
    errorDescription: 'why',
    scope: 'a b',
    resourceMetadata: 'https://h/m',
  });
  assert.deepEqual(bearerChallenge(['Bearer']), { kind: 'bearer' });
});

test('two Bearer challenges that say the same are one [R-2.4a]', () => {
  const lines = ['Bearer scope="a", realm=b', 'BEARER realm="b" , Scope=a'];
  assert.deepEqual(bearerChallenge(lines), { kind: 'bearer', scope: 'a', realm: 'b' });
});

test('any input gives one of the four kinds [R-2.4a]', () => {
  const kinds = ['none', 'bearer', 'unusable'];
  fc.assert(
    fc.property(fc.array(anyText().map((text) => `Bearer ${text}`)), (lines) => {
      assert.ok(kinds.includes(bearerChallenge(lines).kind));
    }),
  );
});
