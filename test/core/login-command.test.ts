import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDoctor } from '../../src/core/login-command.js';
import { resourceMismatch } from '../../src/oauth/failures.js';
import { exitCode, Failure } from '../support/product.js';

test('a failure that a server has caused names the command that says who can mend it', () => {
  const server = 'https://a.example/mcp?x=1&y';
  const broken = resourceMismatch('https://a.example/mcp', 'https://b.example/');
  assert.match(withDoctor(broken, server).remedy, / postern doctor 'https:\/\/a\.example\/mcp\?x=1&y'$/);
  assert.match(withDoctor(broken, 'work').remedy, / postern doctor work$/);
  const late = new Failure({ code: 'token_unusable', exit: exitCode.serverBreaksRules, message: 'No.', remedy: 'Do.' });
  assert.match(withDoctor(late, server).remedy, / --login$/, 'nobody sees it who does not log in');
});

test('a failure of another kind, or with a command of its own, is left as it is', () => {
  const own = new Failure({ code: 'usage_wrong', exit: exitCode.usage, message: 'No.', remedy: 'Do.' });
  assert.equal(withDoctor(own, 'work'), own);
  const leads = new Failure({
    code: 'login_expired',
    exit: exitCode.serverBreaksRules,
    message: 'No.',
    remedy: 'Run: postern login work',
  });
  assert.equal(withDoctor(leads, 'work'), leads);
});
