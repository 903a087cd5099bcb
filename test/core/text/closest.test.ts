import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closest } from '../../../src/core/text/closest.js';

const commands = ['login', 'logout', 'token', 'call', 'request', 'status', 'sandbox'];

test('slips of the finger find the word that was meant', () => {
  const slips = { lgoin: 'login', loginn: 'login', LOGIN: 'login', logut: 'logout', tokne: 'token', stauts: 'status' };
  for (const [typed, meant] of Object.entries({ ...slips, cal: 'call', requset: 'request', sandbx: 'sandbox' })) {
    assert.equal(closest(typed, commands), meant, typed);
  }
});

test('words that are too far or too short find none', () => {
  for (const typed of ['', 'x', 'ca', 'install', 'tk', 'l'.repeat(10_000)]) {
    assert.equal(closest(typed, commands), undefined, typed.slice(0, 20));
  }
  assert.equal(closest('login', []), undefined);
});

test('the nearest wins, and of two as near the earlier', () => {
  assert.equal(closest('logint', ['logout', 'login']), 'login');
  assert.equal(closest('abcx', ['abcd', 'abce']), 'abcd');
});
