import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { parseEngineAddress } from '../../../src/fleet/engine/address.js';
import { anyText } from '../../support/arbitraries.js';
import { Failure } from '../../support/product.js';

const refused = (text: string): Failure => {
  try {
    parseEngineAddress(text);
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, 'engine_address_refused');
    assert.equal(error.exit, 2);
    return error;
  }
  return assert.fail(`${text} was taken`);
};

it('an address of a shared store is read in each of its forms', () => {
  const texts = (text: string) => {
    const { text: canonical, label, namespace } = parseEngineAddress(text);
    return [canonical, label, namespace];
  };
  const redis = 'redis:rediss://cache.example:6380';
  assert.deepEqual(texts(redis), [redis, 'Redis at cache.example:6380', 'default']);
  assert.deepEqual(texts(`${redis}/`), [redis, 'Redis at cache.example:6380', 'default']);
  assert.deepEqual(texts(`${redis}/default`), [redis, 'Redis at cache.example:6380', 'default']);
  assert.deepEqual(texts(`${redis}/team-a`), [`${redis}/team-a`, 'Redis at cache.example:6380', 'team-a']);
  assert.deepEqual(texts('redis:rediss://CACHE.example'), [
    'redis:rediss://cache.example:6379',
    'Redis at cache.example:6379',
    'default',
  ]);
  assert.deepEqual(texts('redis:rediss://cache.example:443')[0], 'redis:rediss://cache.example:443');
  assert.deepEqual(texts('redis:rediss://cache.example:80')[0], 'redis:rediss://cache.example:80');
  assert.deepEqual(texts('redis:redis://[::1]:7000')[0], 'redis:redis://[::1]:7000');
  assert.deepEqual(texts('redis:unix:/run/redis/redis.sock'), [
    'redis:unix:/run/redis/redis.sock',
    'Redis at /run/redis/redis.sock',
    'default',
  ]);
});

it('without encryption only this machine is reached', () => {
  for (const text of [
    'redis:redis://cache.example:6379',
    'redis:redis://10.0.0.5:6379',
    'redis:redis://localhost:6379',
    'redis:redis://0.0.0.0:1',
  ]) {
    assert.match(refused(text).message, /without encryption is for 127\.0\.0\.1/);
  }
  assert.match(refused('redis:redis://cache.example').remedy, /rediss:\/\//);
});

it('what is no address is refused, and nothing of it is printed', () => {
  const wrong = [
    ...[
      '',
      'redis',
      'redis:',
      'redis:redis:',
      'redis:http://127.0.0.1',
      'etcd:https://a.example',
      'redis:rediss://',
      'mongo:x://y',
    ],
    ...[
      'redis:unix:',
      'redis:unix:run/r.sock',
      'redis:unix:/run/../r.sock',
      'redis:unix:/a b',
      'redis:unix:/a//b',
      'redis:unix:/a/',
      `redis:unix:/${'x'.repeat(120)}`,
    ],
    ...[
      'redis:rediss://h.example:0',
      'redis:rediss://h.example:65536',
      'redis:rediss://0x7f.1',
      'redis:rediss://h.example/A',
      'redis:rediss://h.example/a/b',
    ],
    ...[
      'redis:rediss://h.example?x=1',
      'redis:rediss://h.example#x',
      'redis:rediss://h.example/../x',
      `redis:rediss://${'h'.repeat(400)}`,
    ],
  ];
  for (const text of wrong) refused(text);
});

it('a name or password in an address is refused wherever it stands, and never printed', () => {
  const password = fc.stringMatching(/^[A-Za-z0-9!$&'()*+,;=._~%-]{8,40}$/);
  const scheme = fc.constantFrom('redis:rediss', 'redis:redis');
  fc.assert(
    fc.property(scheme, fc.constantFrom('', 'user', 'default'), password, (start, user, secret) => {
      const failure = refused(`${start}://${user}:${secret}@h.example:6379`);
      assert.match(failure.remedy, /POSTERN_ENGINE_CREDENTIALS_FILE/);
      const shown = JSON.stringify([failure.message, failure.remedy]);
      assert.ok(!shown.includes(secret));
    }),
  );
});

it('whatever is written: it is refused, or what it is kept as reads back as itself', () => {
  const piece = fc.constantFrom(
    'redis:',
    'etcd:',
    'rediss://',
    'https://',
    'unix:',
    '/',
    '//',
    ':',
    '@',
    '127.0.0.1',
    '[::1]',
    'h.example',
    '6379',
    'a',
    '..',
    '?',
    '#',
    '%2f',
    '\\',
    ' ',
    '\n',
    'İ',
    'xn--a',
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 9 }).map((all) => all.join('')),
    fc.string(),
    anyText(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let read: ReturnType<typeof parseEngineAddress>;
      try {
        read = parseEngineAddress(text);
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
        return;
      }
      assert.deepEqual(parseEngineAddress(read.text), read);
      assert.match(read.text, /^[\x21-\x7e]+$/);
      assert.match(read.label, /^Redis at [\x20-\x7e]+$/);
    }),
    { numRuns: 2_000 },
  );
});
