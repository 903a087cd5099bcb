import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/core/text/json.js';
import { errorWords } from '../../src/oauth/leniency.js';
import { validateTokenResponse } from '../../src/oauth/token.js';

const token = { access_token: 'a', token_type: 'Bearer' };
const judge = (object: JsonObject, status = 200) =>
  validateTokenResponse(new Response(JSON.stringify(object), { status }), { now: 0, requested: [], sent: [] });

/** What real servers send (field notes 6, 11 and 17). */
const exceptions: readonly (readonly [name: string, object: JsonObject, status: number])[] = [
  ['null for absent', { ...token, refresh_token: null }, 200],
  ['a lifetime that is no number', { ...token, expires_in: 'soon' }, 200],
  ['an ID token that is not signed', { ...token, id_token: 'eyJhbGciOiJub25lIn0.e30.' }, 200],
  ['201 for 200, and no media type', token, 201],
];

for (const [name, object, status] of exceptions) {
  test(`${name} is no reason to refuse a token`, async () => assert.ok((await judge(object, status)).ok));
}

const errors: readonly (readonly [body: string, error: string, said: string])[] = [
  [
    '{"error":"invalid_grant","error_description":"Token has been revoked."}',
    'invalid_grant',
    'Token has been revoked.',
  ],
  ['{"message":"Client quota reached"}', '', 'Client quota reached'],
  ['{"detail":"Not allowed here"}', '', 'Not allowed here'],
  ['{"detail":[{"loc":["body","code"],"msg":"field required","type":"value_error"}]}', '', 'field required'],
  ['{"type":"about:blank","title":"Forbidden","status":403,"detail":"Plan ended"}', '', 'Forbidden: Plan ended'],
  ['{"errors":["one","two"]}', '', 'one; two'],
  ['{"errors":[{"code":"X","defaultMessage":"must not be blank"}]}', '', 'must not be blank'],
  ['{"errors":{"redirect_uris":["is not allowed"]}}', '', 'is not allowed'],
  ['{"timestamp":1,"status":400,"error":"Bad Request","message":"no such client"}', 'Bad Request', 'no such client'],
  ['{"error":{"code":400,"status":"INVALID","message":"nested"}}', 'INVALID', 'nested'],
  ['{"errorCode":"E1","errorSummary":"Okta says no"}', '', 'Okta says no'],
  ['[{"message":"in a list"}]', '', 'in a list'],
  ['Unknown\n  client', '', 'Unknown client'],
  ['\ufeff{"error":"invalid_client"}', 'invalid_client', ''],
  ['', '', ''],
  ['{"a":1,"a":2}', '', ''],
  ['{"error":7,"detail":null}', '', ''],
];

for (const [body, error, said] of errors) {
  test(`the words of ${JSON.stringify(body)} are read`, () => {
    assert.deepEqual(errorWords(new TextEncoder().encode(body)), { error, said, isPage: false });
  });
}

test('[A-55] a web page is no answer of the endpoint: of it the title is read, and what has no end is cut', () => {
  const page = new TextEncoder().encode(
    '<!DOCTYPE html><html><head><title>\nJust a moment...</title><script>x</script>',
  );
  assert.deepEqual(errorWords(page), { error: '', said: 'Just a moment...', isPage: true });
  const deep = `${'{"error":'.repeat(50)}{"message":"x"}${'}'.repeat(50)}`;
  for (const body of ['x'.repeat(1e6), JSON.stringify({ message: 'x'.repeat(1e6) }), deep]) {
    assert.ok(errorWords(new TextEncoder().encode(body)).said.length <= 500);
  }
});

test('an error is an error with any status, whatever comes with it', async () => {
  for (const status of [200, 401]) {
    const judged = await judge({ ...token, error: 'invalid_grant' }, status);
    assert.ok(!judged.ok && judged.problem === 'refused' && judged.error === 'invalid_grant', `${status}`);
  }
});
