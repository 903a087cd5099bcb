import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LightHeaders, LightResponse } from '../../../src/oauth/library/light-fetch.js';

const [names, values] = [
  fc.constantFrom('accept', 'Accept', 'content-type', 'x'),
  fc.oneof(fc.constantFrom('', ' a ', 'a\nb', 'a\0', 'é', '日'), fc.string()),
];
const change = fc.oneof(
  fc.tuple(fc.constantFrom('set', 'append'), fc.oneof(names, fc.string({ maxLength: 3 })), values),
  fc.tuple(fc.constant('delete'), names, fc.constant('')),
);

/** What came of it, or that it was refused. */
function outcome<Value>(immediate: () => Value): Value | 'refused' {
  try {
    return immediate();
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return 'refused';
  }
}

test('headers are changed, read and refused as Node’s own are', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const [light, own] = [new LightHeaders(), new Headers()];
      for (const [how, name, value] of changes) {
        const done = ([light, own] as const).map((headers) =>
          outcome(() => (how === 'delete' ? headers.delete(name) : headers[how as 'set'](name, value))),
        );
        assert.equal(done[0], done[1]);
      }
      const sorted = (headers: Iterable<[string, string]>) => [...headers].sort();
      assert.deepEqual(sorted(light), sorted(own));
      for (const name of ['ACCEPT', 'x', 'y']) {
        assert.equal(light.get(name), own.get(name));
        assert.equal(light.has(name), own.has(name));
      }
    }),
  );
});

test('a response is read as Node’s own is: once, in any form, and its clone beside it', async () => {
  const status = fc.integer({ min: 200, max: 599 });
  const body = fc.option(fc.oneof(fc.string(), fc.json(), fc.uint8Array()), { nil: null });
  const form = fc.constantFrom('text', 'json', 'arrayBuffer');
  await fc.assert(
    fc.asyncProperty(status, body, form, fc.boolean(), async (code, content, how, isCloned) => {
      const init = { status: [204, 205, 304].includes(code) ? 200 : code, headers: { 'Content-Type': 'a/b' } };
      const seen = await Promise.all(
        [new LightResponse(content, init), new Response(content, init)].map(async (response) => {
          const one = (isCloned ? response.clone() : response) as Response;
          const read = async () => {
            const value = await one[how]();
            return how === 'arrayBuffer' ? [...new Uint8Array(value)] : value;
          };
          const first = await read().catch((error: Error) => error.name);
          const { headers, ok, bodyUsed } = one;
          const again = one.bodyUsed ? await read().catch((error: Error) => error.name) : '';
          return [first, again, headers.get('content-type'), ok, bodyUsed, one.status, response.bodyUsed];
        }),
      );
      assert.deepEqual(seen[0], seen[1]);
    }),
  );
});

test('what is let go counts as read; without a body there is nothing to let go', async () => {
  for (const response of [new LightResponse('a'), new Response('a')] as readonly Response[]) {
    await response.body?.cancel();
    assert.equal(response.bodyUsed, true);
    assert.throws(() => response.clone(), TypeError);
  }
  assert.equal(new LightResponse().body, null);
});
