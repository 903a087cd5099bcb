import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverWords } from '../../src/tokens/server-words.js';

const said = (body: string, ...challenges: string[]) =>
  serverWords({ challenges, body: new TextEncoder().encode(body) });

test('a refusal is told in the words of its challenge, else of its body, in whatever form that is', () => {
  assert.equal(
    said('{"error":"x"}', 'Bearer error="invalid_token", error_description="The token was revoked"'),
    'invalid_token: The token was revoked',
  );
  assert.equal(
    said('{"error":"invalid_scope","error_description":"needs notes:write"}'),
    'invalid_scope: needs notes:write',
  );
  assert.equal(
    said('{"type":"about:blank","title":"Forbidden","status":403,"detail":"Your plan ended"}'),
    'Forbidden: Your plan ended',
  );
  assert.equal(said('{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session over"}}'), 'Session over');
  assert.equal(said('{"message":"API key disabled"}'), 'API key disabled');
  assert.equal(
    said('{"detail":"who are you"}', 'Bearer error="invalid_token"'),
    'who are you',
    'a body that says more than a bare code',
  );
  assert.equal(serverWords({ challenges: ['Bearer error="invalid_token"'] }), 'invalid_token');
});

test('what says nothing, is no JSON, or contradicts itself gives no words', () => {
  for (const body of ['', '[]', '"text"', '<h1>no</h1>', '{"error":7}', '{"title":" "}', '{"a":1,"a":2}']) {
    assert.equal(said(body), '', body);
  }
  assert.equal(said('', 'Bearer error="a"', 'Bearer error="b"'), '');
});
