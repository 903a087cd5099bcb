import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HiddenSecrets } from '../../src/doctor/report.js';

const secret = 'eyJhbGciOiJub25lIn0.canary-of-a-token.signature';

const hiding = (...secrets: readonly string[]) => {
  const hidden = new HiddenSecrets();
  for (const one of secrets) hidden.hide(one);
  return hidden;
};

test('a secret is not shown, whole, cut on either side, or as a URL writes it', () => {
  const hidden = hiding(secret, 'a b+c/d=e&f canary');
  assert.equal(hidden.without(`it said: "${secret}".`), 'it said: "***".');
  assert.equal(hidden.without(`it said: "${secret.slice(0, 20)}…`), 'it said: "***…');
  assert.equal(hidden.without(`…${secret.slice(-14)} and more`), '…*** and more');
  assert.equal(hidden.without(`x=${encodeURIComponent('a b+c/d=e&f canary')}&y`), 'x=***&y');
  assert.equal(hidden.without('nothing of it'), 'nothing of it');
});

test('two secrets side by side, a short one, and one too short to be told from a word', () => {
  const hidden = hiding(secret, 'another-secret-of-this-run', 'hunter2', 'ab');
  assert.doesNotMatch(hidden.without(`${secret}another-secret-of-this-run`), /canary|another/);
  assert.equal(hidden.without('hunter2 is ab'), '*** is ab');
});
