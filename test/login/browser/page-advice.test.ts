import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageAdvice } from '../../../src/login/browser/failures.js';
import { fakePerson } from './fake-person.js';

test('what to do where the page shows an error is said once', () => {
  const person = fakePerson({ browser: 'opened', interactive: true });
  const redirectUri = 'http://127.0.0.1:1/callback';
  const advice = new PageAdvice({
    way: 'dynamic',
    isKept: true,
    redirectUri,
    hasFixedPort: false,
    otherRedirect: 'postern login x',
  });
  advice.tell(person.ports.terminal, 'No answer yet. ');
  advice.tell(person.ports.terminal);
  assert.deepEqual(person.told, [
    'No answer yet. Does the page show an error? Add --registration dynamic, which registers a new client. If it is about the redirect address, run: postern login x',
  ]);
  const other = fakePerson({ browser: 'opened', interactive: true });
  const client = { way: 'dynamic', isKept: false, redirectUri, hasFixedPort: false, otherRedirect: 'x' } as const;
  new PageAdvice(client).tell(other.ports.terminal);
  assert.match(other.told.join(), /^Does the page show an error\? Register a client/);
});
