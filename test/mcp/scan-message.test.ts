import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanText, textMember } from '../../src/mcp/scan-message.js';

const scan = (text: string) => scanText(Buffer.from(text), true);

function only(text: string) {
  const scanned = scan(text);
  assert.ok(typeof scanned !== 'string', `${text}: ${scanned}`);
  const [message] = scanned.messages;
  assert.ok(message !== undefined);
  return message;
}

test('kind, id, method and what counts of the parameters', () => {
  const call = only(
    ' {"x":{"id":9},"params":{"uri":"a","name":"old","arguments":{"name":"no"},"name":"tool","_meta":{"progressToken":3,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"method":"tools/call","id":"7","jsonrpc":"2.0"} ',
  );
  assert.equal(call.kind, 'request');
  assert.equal(call.method, 'tools/call');
  assert.deepEqual(call.params, { uri: 'a', name: 'tool', revision: '2026-07-28' });
  const cancelled = only('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}');
  assert.equal(cancelled.kind, 'notification');
  assert.equal(cancelled.params.requestId, only('{"jsonrpc":"2.0","id":12,"method":"x"}').id);
  assert.equal(only('{"jsonrpc":"2.0","id":1,"result":{}}').kind, 'result');
  assert.equal(only('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}').id, undefined);
});

test('ids are equal when they mean the same, and only then [A-237]', () => {
  const id = (spelled: string) => only(`{"jsonrpc":"2.0","id":${spelled},"method":"x"}`).id;
  assert.equal(id('"a"'), id('"\\u0061"'));
  assert.equal(id('1'), id('1.0'));
  assert.equal(id('1000'), id('1e3'));
  assert.notEqual(id('1'), id('"1"'));
  assert.notEqual(id('9007199254740993'), id('9007199254740992'));
});

test('what is no JSON, and what is JSON and no message [A-235]', () => {
  for (const text of ['', 'x', '{"jsonrpc":"2.0"', '{}{}', '[1', '{"jsonrpc":"2.0","id":1,"method":"a"} x', '\u0000']) {
    assert.equal(scan(text), 'not_json', text);
  }
  const members = ['"id":{}', '"id":[]', '"id":true', '"id":null', '"id":1,"id":2', '"result":1', '"method":"b"'];
  const wrong = members.map((member) => `{"jsonrpc":"2.0","method":"a",${member}}`);
  const others = ['1', '"a"', '[]', '[1]', '{}', '{"jsonrpc":"1.0","id":1,"method":"a"}', '{"jsonrpc":"2.0","id":1}'];
  const both = '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}';
  for (const text of [...wrong, ...others, both]) assert.equal(scan(text), 'not_a_message', text);
});

test('what is longer than anything that counts is no id, no method, and no name [A-237] [A-257]', () => {
  const long = (length: number, end = 'x') => `"${'x'.repeat(length)}${end}"`;
  const request = (id: string, method: string, params = '{}') =>
    `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${params}}`;
  for (const end of ['x', 'é', '\\u0061']) {
    assert.equal(scan(request(long(1_024, end), '"a"')), 'not_a_message', end);
    assert.equal(scan(request('1', long(8_192, end))), 'not_a_message', end);
    const { params } = only(request('1', '"a"', `{"name":"short","name":${long(8_192, end)},"uri":"u"}`));
    assert.deepEqual(params, { uri: 'u' }, 'of two the last counts, and that is none');
    const answer = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":${long(8_192, end)}}}`;
    assert.equal(textMember(Buffer.from(answer), only(answer).result, 'protocolVersion'), undefined);
  }
  assert.equal(scan(request(`1${'0'.repeat(1_024)}`, '"a"')), 'not_a_message', 'digits');
  assert.equal(only(request('1', long(8_000))).method.length, 8_001);
  const wrongIds = ['null', '{}', '[1]', 'true', long(1_024), `1${'0'.repeat(1_024)}`];
  for (const id of wrongIds) {
    assert.deepEqual(only(request('1', '"a"', `{"requestId":${id}}`)).params, {}, id.slice(0, 9));
  }
});
