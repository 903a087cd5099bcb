import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallbackListener } from '../../src/ports.js';
import { Secret } from '../../src/primitives/secret.js';
import { callbackLimits } from '../../src/system/callback/limits.js';
import { createCallbackListeners } from '../../src/system/callback/listeners.js';
import { authorizationUrl, underTest } from './listener-under-test.js';

test('[A-65] [A-71] the link is ours, unguessable, and sends the browser on without trace', async () => {
  await using on = await underTest();
  await using other = await underTest();
  assert.match(on.link, new RegExp(`^http://127\\.0\\.0\\.1:${on.port}/go/[A-Za-z0-9_-]{43}$`));
  assert.notEqual(new URL(on.link).pathname, new URL(other.link).pathname);
  assert.equal((await on.get(`/go/${'A'.repeat(43)}`)).status, 404);
  const { status, headers, body } = await on.get(new URL(on.link).pathname);
  assert.deepEqual([status, headers['location'], body], [303, authorizationUrl, '']);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.ok(on.isWaiting());
});

test('[A-70] [A-71] a second use of the link is 410, leads nowhere, and stops the login with a warning', async () => {
  await using on = await underTest();
  const link = new URL(on.link).pathname;
  await on.get(link);
  assert.equal(on.listener.linkTakenTwice, false);
  const second = await on.get(link);
  assert.equal(second.status, 410);
  assert.equal(second.headers['location'], undefined);
  assert.match(second.body, /used before/);
  await assert.rejects(on.answer, { code: 'link_taken_twice', exit: 4 });
});

test('[A-70] the browser that comes to the link after a thief has answered shows itself', async () => {
  await using on = await underTest();
  const link = new URL(on.link).pathname;
  await on.get(link);
  const unread = on.callBack('code=of-the-thief').catch(() => {});
  await on.answer;
  assert.equal((await on.get(link)).status, 410);
  assert.equal(on.listener.linkTakenTwice, true, 'the flow can look before it redeems or stores');
  await on.listener.finish('failed');
  await unread;
});

test('the listener is armed once, and only with an http or https URL that is safe in a header', async () => {
  await using on = await underTest();
  assert.throws(() => on.listener.arm({ state: new Secret('s'), authorizationUrl }), /armed once/);
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'vscode://x',
    'https://a/\r\nSet-Cookie: x=1',
    ' https://a/',
    'https://a/\u2019',
  ]) {
    await using fresh = await unarmed();
    assert.throws(() => fresh.arm({ state: new Secret('s'), authorizationUrl: url }), /http or https URL/);
  }
});

function unarmed(): Promise<CallbackListener> {
  return createCallbackListeners(callbackLimits).listen({ port: 0 });
}
