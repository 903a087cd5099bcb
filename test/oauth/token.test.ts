import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { validateTokenResponse } from '../../src/oauth/token.js';
import { Secret } from '../support/product.js';

const now = Date.UTC(2026, 10, 21);
const day = 24 * 3600 * 1000;
const good = { access_token: 'abc.def', token_type: 'Bearer', expires_in: 300, refresh_token: 'r1' };

const answer = (body: unknown, status = 200, retryAfter?: string) =>
  new Response([204, 205, 304].includes(status) ? null : typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });
const judge = (body: unknown, status = 200, requested: readonly string[] = ['a', 'b']) =>
  validateTokenResponse(answer(body, status), { now, requested, sent: [] });
const problem = async (body: unknown, status = 200) => {
  const judged = await judge(body, status);
  return judged.ok ? 'none' : judged.problem;
};

test('a byte order mark before the answer is ignored (RFC 8259 section 8.1)', async () => {
  const judged = await judge(`\ufeff${JSON.stringify(good)}`);
  assert.ok(judged.ok && judged.token.accessToken.reveal() === 'abc.def');
});

test('[A-123] expires_in: clamped to 30 days, strings of digits taken, garbage is an unknown lifetime', async () => {
  const expires = async (value: unknown) => {
    const judged = await judge({ ...good, expires_in: value });
    assert.ok(judged.ok, String(value));
    return {
      in: judged.token.expiresAt === null ? null : judged.token.expiresAt - now,
      warned: judged.token.warnings.length > 0,
    };
  };
  assert.deepEqual(await expires('3600'), { in: 3_600_000, warned: false });
  assert.deepEqual(await expires(0), { in: 0, warned: false });
  assert.deepEqual(await expires(2 ** 31), { in: 30 * day, warned: false });
  assert.deepEqual(await expires(undefined), { in: null, warned: false });
  for (const garbage of ['3600abc', -1, {}, [3600], true]) {
    assert.equal((await expires(garbage)).in, null, JSON.stringify(garbage));
    assert.equal((await expires(garbage)).warned, true, JSON.stringify(garbage));
  }
  const huge = await validateTokenResponse(answer('{"access_token":"a","token_type":"bearer","expires_in":1e400}'), {
    sent: [],
    now,
    requested: [],
  });
  assert.ok(huge.ok && (huge.token.expiresAt === null || huge.token.expiresAt <= now + 30 * day));
});

test('how long a login lasts is read where it is said in whole seconds; whatever else stands there is ignored', async () => {
  const ends = async (more: object) => {
    const judged = await judge({ ...good, ...more });
    assert.ok(judged.ok, JSON.stringify(more));
    const { refreshExpiresAt: refresh, authorizationExpiresAt: whole } = judged.token;
    return [refresh, whole].map((at) => at && at - now);
  };
  assert.deepEqual(await ends({ refresh_token_expires_in: 86_400 }), [day, undefined]);
  assert.deepEqual(await ends({ refresh_token_timeout: 86_400, authorization_expires_in: 172_800 }), [day, 2 * day]);
  assert.deepEqual(await ends({ refresh_token_expires_in: 172_800, refresh_token_timeout: 86_400 }), [day, undefined]);
  for (const odd of [-1, 0, 1.5, '86400', 1e12, Number.MAX_VALUE, null, true, [86_400], {}]) {
    const all = { refresh_token_expires_in: odd, refresh_token_timeout: odd, authorization_expires_in: odd };
    assert.deepEqual(await ends(all), [undefined, undefined], JSON.stringify(odd));
  }
});

test('[A-124] scope: narrower and wider are warned of and kept as returned, malformed is refused', async () => {
  const narrower = await judge({ ...good, scope: 'a' });
  assert.ok(narrower.ok && narrower.token.warnings.length === 1);
  assert.deepEqual(narrower.token.scopes, ['a']);
  const wider = await judge({ ...good, scope: 'a b admin' });
  assert.ok(wider.ok && wider.token.warnings.some((warning) => warning.includes('admin')));
  const listed = await judge({ ...good, scope: 'a, b,' });
  assert.deepEqual(listed.ok && listed.token.scopes, ['a', 'b'], 'commas part names, too');
  const asked = await judge({ ...good, scope: 'a,b c' }, 200, ['a,b', 'c']);
  assert.deepEqual(
    asked.ok && asked.token.scopes,
    ['a,b', 'c'],
    'but not where one is part of a name that was asked for',
  );
  assert.equal(await problem({ ...good, scope: ['a'] }), 'unusable');
  assert.equal(await problem({ ...good, scope: 'a\u0007b' }), 'unusable');
});

test('[A-132] 429 and 5xx are passing troubles, and Retry-After never becomes "at once"', async () => {
  for (const [value, expected] of [
    ['30', 30_000],
    ['1000000000', 60_000],
    ['-5', undefined],
    ['Wed, 99', undefined],
    ['1'.repeat(10_000), undefined],
  ] as const) {
    const judged = await validateTokenResponse(answer('', 429, value), { now, requested: [], sent: [] });
    assert.ok(!judged.ok && judged.problem === 'transient');
    const inRange = judged.retryAfterMs === undefined || (judged.retryAfterMs > 0 && judged.retryAfterMs <= 60_000);
    assert.ok(inRange, value.slice(0, 20));
    if (expected !== undefined) assert.equal(judged.retryAfterMs, expected);
  }
  assert.equal(await problem('<html>', 502), 'transient');
});

test('[I1] whatever comes, the judgement never throws and a secret never shows in its text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.constantFrom('access_token', 'token_type', 'expires_in', 'scope', 'refresh_token', 'error'),
        fc.jsonValue(),
      ),
      fc.integer({ min: 200, max: 599 }),
      async (body, status) => {
        const judged = await judge({ ...body, access_token: 'canary-value' }, status);
        assert.ok(!JSON.stringify(judged).includes('canary-value'));
      },
    ),
  );
});

test('a name of scope that holds a secret of the request or of the answer is left out, and that is said [A-252]', async () => {
  const secrets = ['canary-access', 'canary-refresh', 'canary-identity', 'canary-client-secret'] as const;
  const [access_token, refresh_token, id_token, sent] = secrets;
  for (const secret of secrets) {
    const body = { ...good, access_token, refresh_token, id_token, scope: `a x:${secret}:y b` };
    const judged = await validateTokenResponse(answer(body), {
      now,
      requested: ['a', 'b'],
      sent: [undefined, new Secret(sent)],
    });
    assert.ok(judged.ok);
    assert.deepEqual(judged.token.scopes, ['a', 'b'], secret);
    assert.deepEqual(judged.token.warnings, [
      'the authorization server put a secret into the names of scope: left out',
    ]);
  }
  const short = await judge({ ...good, access_token: 'read', scope: 'a read:all b' });
  assert.deepEqual(short.ok && short.token.scopes, ['a', 'read:all', 'b'], 'a word is no echo');
});
