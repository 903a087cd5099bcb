import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../src/core/text/json.js';
import { identityIn, whatServerSays, whoamiTool } from '../../../src/login/status/server-says.js';
import { anyText } from '../../support/arbitraries.js';
import { exitCode, Failure } from '../../support/product.js';

const readOnly = { readOnlyHint: true };

test('the tool is one of the usual names, read-only by its annotation, that insists on no argument; the best first', () => {
  const tool = (name: string, more: object = {}) => ({ name, annotations: readOnly, ...more }) as JsonValue;
  assert.equal(whoamiTool([tool('echo'), tool('me'), tool('get_me'), tool('whoami')]), 'whoami');
  assert.equal(whoamiTool([tool('users.getCurrentUser'), tool('get_current_user')]), 'get_current_user');
  assert.equal(whoamiTool([tool('whoAmI', { inputSchema: { type: 'object', required: [] } })]), 'whoAmI');
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
    assert.equal(whoamiTool([no]), undefined, JSON.stringify(no));
  }
});

test('who it is: the member that names a person, else the first line; a failed tool says nothing', () => {
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
  assert.equal(identityIn({ ...text('x'), structuredContent: { id: '7', login: 'octocat' } }), 'octocat');
  assert.equal(identityIn(text('{"user":{"name":"Ada","email":"ada@b.example"}}')), 'ada@b.example');
  assert.equal(identityIn(text('You are ada.\nAnd more.')), 'You are ada.');
  assert.equal(identityIn(text('a\u001b[31m')), 'a\\x1b[31m');
  for (const nothing of [{}, text(''), text('{"a":1}'), { ...text('ada'), isError: true }, { content: 'ada' }]) {
    assert.equal(identityIn(nothing), undefined, JSON.stringify(nothing));
  }
});

test('whatever a server answers, what it says is one short printable line, and no other tool is called', async () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  const result = fc.oneof(
    fc.record({ content: fc.array(fc.record({ type: fc.constant('text'), text: anyText() })) }),
    fc.record({ structuredContent: fc.record({ email: json, name: anyText() }) }),
    fc.record({ content: json, structuredContent: json, isError: json }),
  ) as fc.Arbitrary<Record<string, JsonValue>>;
  const tools = fc.oneof(json, fc.array(fc.record({ name: fc.constantFrom('whoami', 'drop'), annotations: json })));
  await fc.assert(
    fc.asyncProperty(tools as fc.Arbitrary<JsonValue>, result, async (listed, given) => {
      const { says: said } = await whatServerSays({
        request: async (method, params) => {
          if (method === 'tools/list') return { tools: listed };
          assert.deepEqual([method, params], ['tools/call', { name: 'whoami', arguments: {} }]);
          return given;
        },
      });
      const shown = identityIn(given) ?? '';
      assert.match(shown, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{0,121}$/u);
      if (said !== undefined) assert.equal(said, shown);
    }),
  );
});

test('the tools are counted where all are listed at once, and where the tool that tells who it is fails, too', async () => {
  const said = (listed: Record<string, JsonValue>) =>
    whatServerSays({
      request: async (method) => {
        if (method === 'tools/list') return listed;
        throw new Failure({ code: 'tool_failed', exit: exitCode.callFailed, message: 'no', remedy: '' });
      },
    });
  const two = [{ name: 'whoami', annotations: { readOnlyHint: true } }, { name: 'drop' }];
  assert.deepEqual(await said({ tools: two }), { says: undefined, tools: 2 });
  assert.deepEqual(await said({ tools: two, nextCursor: 'x' }), { says: undefined, tools: undefined });
  assert.deepEqual(await said({ tools: 'x' }), { says: undefined, tools: undefined });
});
