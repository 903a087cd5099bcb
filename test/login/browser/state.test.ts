import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyPath, anyQuery } from '../../support/arbitraries.js';
import { Failure } from '../../support/product.js';
import { authorizationUrl, underTest } from './listener-under-test.js';

test('[A-84] [A-110] [R-5.8e] a callback with another state is discarded, and the wait goes on', async () => {
  await using on = await underTest();
  const reply = await on.get('/callback?code=attacker&state=another-flow');
  assert.equal(reply.status, 400);
  assert.doesNotMatch(reply.body, /attacker|another-flow/);
  assert.ok(on.isWaiting());
  await on.get('/callback?state=another-flow'); // no answer to anything
  assert.equal(on.listener.ignored, 1, 'one answer is told of');
  const page = on.callBack('code=ours');
  assert.deepEqual(await on.answer, [
    ['code', 'ours'],
    ['state', on.state],
  ]);
  await on.listener.finish('stored');
  assert.equal((await page).status, 200);
});

test('[A-85] [A-86] [R-5.8e] no state, an empty one, or an error without ours: discarded, the wait goes on', async () => {
  await using on = await underTest();
  const queries = [
    '?code=x',
    '?code=x&state=',
    '?code=x&state',
    '?error=access_denied',
    '?error=access_denied&state=guess',
    `?state=${on.state}x&error=access_denied`,
    `?code=x&State=${on.state}`,
    `?code=x&%20state=${on.state}`,
    `??state=${on.state}`,
    `?code=x;state=${on.state}`,
    '?',
    '',
  ];
  const replies = [];
  for (const query of queries) replies.push(await on.get(`/callback${query}`));
  assert.deepEqual(
    replies.map(({ status }) => status),
    queries.map(() => 400),
  );
  assert.equal(new Set(replies.map(({ body }) => body)).size, 1, 'all get the same constant page');
  assert.ok(on.isWaiting());
});

test('[A-88] our state twice is not an answer; other repeats reach the judge in full', async () => {
  await using on = await underTest();
  const twice = await on.get(`/callback?code=x&state=${on.state}&state=${on.state}`);
  assert.equal(twice.status, 400);
  const mixed = await on.get(`/callback?code=x&state=${on.state}&%73tate=other`);
  assert.equal(mixed.status, 400);
  assert.ok(on.isWaiting());
  void on.callBack('code=a&c%6fde=b&iss=1&iss=2&error=e').catch(() => {});
  assert.deepEqual(await on.answer, [
    ['code', 'a'],
    ['code', 'b'],
    ['iss', '1'],
    ['iss', '2'],
    ['error', 'e'],
    ['state', on.state],
  ]);
});

test('[A-94] with our state: bad percent-encoding, overlong UTF-8, too long or too many values end the wait as unusable', async () => {
  const queries = [
    ['code=%zz', /encoding/],
    ['code=%', /encoding/],
    ['code=%c0%af', /encoding/],
    ['error_description=%ff', /encoding/],
    [`code=${'a'.repeat(4097)}`, /too long/],
    [`${'n'.repeat(4097)}=1`, /too long/],
    [`code=${'a'.repeat(9000)}`, /too long|longer/],
    [`code=x${'&a=b'.repeat(64)}`, /too long/],
  ] as const;
  for (const [query, why] of queries) {
    await using on = await underTest();
    const page = on.callBack(query);
    await assert.rejects(on.answer, (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.code, 'callback_unusable');
      assert.equal(error.exit, 5);
      assert.match(error.message, why);
      assert.doesNotMatch(error.message, /aaaa|nnnn/);
      return true;
    });
    await on.listener.finish('failed');
    assert.match((await page).body, /did not succeed/);
  }
});

test('[A-84] [A-85] [A-86] [A-99] property: no request without our state and our link ever ends the wait', async () => {
  await using on = await underTest();
  const name = fc.constantFrom('code', 'state', 'iss', 'error', 'STATE', 'state[]', 'st%61te');
  const value = fc.oneof(anyQuery, fc.constantFrom('', 'x', on.state.slice(1), `${on.state}%00`, `%20${on.state}`));
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 6 })
    .map((pairs) => pairs.map(([key, text]) => `${key}=${text.replaceAll('#', '')}`).join('&'));
  const path = fc.oneof(
    fc.constant('/callback'),
    anyPath.map((text) => `/${text.replace(/^\/+/, '')}`),
    fc.constantFrom('/go/', '/done/', '/go/x', '/'),
  );
  await fc.assert(
    fc.asyncProperty(path, query, async (target, text) => {
      const { status, headers, body } = await on.get(`${target}?${text}`);
      assert.ok([400, 404, 414].includes(status), `${status}`);
      assert.equal(headers['location'], undefined);
      assert.match(body, /Nothing to see here/);
      assert.ok(on.isWaiting());
    }),
    { numRuns: 200 },
  );
  const unread = on.callBack('code=ours').catch(() => {});
  assert.equal((await on.answer)[0]?.[1], 'ours');
  await on.listener.finish('stored');
  await unread;
});

test('[A-109] two listeners at once: each has its own port and state, neither takes the other’s callback', async () => {
  await using one = await underTest();
  await using two = await underTest();
  assert.notEqual(one.port, two.port);
  assert.equal((await two.get(`/callback?code=x&state=${one.state}`)).status, 400);
  const [, goOfOne = ''] = one.link.split(String(one.port));
  assert.equal((await two.get(goOfOne)).status, 404);
  assert.ok(one.isWaiting() && two.isWaiting());
  assert.equal((await one.get(goOfOne)).headers['location'], authorizationUrl);
});
