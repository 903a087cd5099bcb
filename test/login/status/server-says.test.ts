import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/core/text/json.js';
import { whatServerSays } from '../../../src/login/status/check-logins.js';
import { anyText } from '../../support/arbitraries.js';
import { exitCode, Failure } from '../../support/product.js';

/** What is made of a server that lists this and answers that; no tool is called but the one named. */
async function heard(listed: JsonObject, answer: JsonObject | undefined, tool = 'whoami') {
  return await whatServerSays({
    request: async (method, params) => {
      if (method === 'tools/list') return listed;
      assert.deepEqual([method, params], ['tools/call', { name: tool, arguments: {} }]);
      if (answer === undefined)
        throw new Failure({ code: 'tool_failed', exit: exitCode.callFailed, message: '', remedy: '' });
      return answer;
    },
  });
}

const tool = (name: string, more: object = {}) => ({ name, annotations: { readOnlyHint: true }, ...more }) as JsonValue;
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

test('the tool is one of the usual names, read-only by its annotation, that insists on no argument; the best first', async () => {
  const called = async (name: string, ...tools: JsonValue[]) =>
    assert.deepEqual(await heard({ tools }, text('ada'), name), { says: 'ada', tools: tools.length });
  await called('whoami', tool('echo'), tool('me'), tool('get_me'), tool('whoami'));
  await called('get_current_user', tool('users.getCurrentUser'), tool('get_current_user'));
  await called('whoAmI', tool('whoAmI', { inputSchema: { type: 'object', required: [] } }));
  for (const no of [
    tool('whoami', { annotations: {} }),
    tool('whoami', { annotations: { readOnlyHint: 'true' } }),
    tool('whoami', { inputSchema: { required: ['user'] } }),
    tool('whoami', { inputSchema: { required: 'user' } }),
    tool('delete_me'),
    tool('whoami_and_delete'),
    null,
    ['whoami'],
  ]) {
    assert.deepEqual(await heard({ tools: [no] }, undefined, 'none'), { says: undefined, tools: 1 });
  }
});

test('who it is: the member that names a person, else the first line; a failed tool says nothing, and the tools are counted', async () => {
  const says = async (answer: JsonObject | undefined) => (await heard({ tools: [tool('whoami')] }, answer)).says;
  assert.equal(await says({ ...text('x'), structuredContent: { id: '7', login: 'octocat' } }), 'octocat');
  assert.equal(await says(text('{"user":{"name":"Ada","email":"ada@b.example"}}')), 'ada@b.example');
  assert.equal(await says(text('You are ada.\nAnd more.')), 'You are ada.');
  assert.equal(await says(text('a\u001b[31m')), 'a\\x1b[31m');
  for (const nothing of [{}, text(''), text('{"a":1}'), { ...text('ada'), isError: true }, { content: 'a' }, undefined])
    assert.equal(await says(nothing), undefined, JSON.stringify(nothing));
  const two = [tool('whoami'), tool('drop')];
  assert.deepEqual(await heard({ tools: two }, undefined), { says: undefined, tools: 2 });
  assert.deepEqual(await heard({ tools: two, nextCursor: 'x' }, undefined), { says: undefined, tools: undefined });
  assert.deepEqual(await heard({ tools: 'x' }, undefined), { says: undefined, tools: undefined });
});

test('whatever a server answers, what it says is one short printable line, and no other tool is called', async () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  const answer = fc.oneof(
    fc.record({ content: fc.array(fc.record({ type: fc.constant('text'), text: anyText() })) }),
    fc.record({ structuredContent: fc.record({ email: json, name: anyText() }) }),
    fc.record({ content: json, structuredContent: json, isError: json }),
  ) as fc.Arbitrary<JsonObject>;
  const tools = fc.oneof(json, fc.array(fc.record({ name: fc.constantFrom('whoami', 'drop'), annotations: json })));
  await fc.assert(
    fc.asyncProperty(tools as fc.Arbitrary<JsonValue>, answer, async (listed, given) => {
      for (const shown of [listed, [tool('whoami')]]) {
        const { says = '' } = await heard({ tools: shown }, given);
        assert.match(says, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{0,121}$/u);
      }
    }),
  );
});
