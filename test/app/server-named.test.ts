import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withServerNamed } from '../../src/app/wrong-command-line.js';
import { Failure } from '../support/product.js';

const failure = new Failure({
  code: 'credential_corrupt',
  exit: 7,
  message: 'It is damaged.',
  remedy: 'Run: postern login SERVER',
});

const remedyFor = (args: Parameters<typeof withServerNamed>[1]) => (withServerNamed(failure, args) as Failure).remedy;

test('a remedy for the server that was named has its name, so that it can be copied', () => {
  assert.equal(remedyFor({ server: 'work' }), 'Run: postern login work');
  assert.equal(remedyFor({ server: 'work', command: [] }), 'Run: postern login work');
  assert.equal(remedyFor({ server: 'a;b$&' }), "Run: postern login 'a;b$&'");
});

test('not where that is another one, or a program, or may hold a secret', () => {
  for (const args of [
    { server: undefined },
    { server: ['a', 'b'] },
    { server: 'echo', command: ['npx', 'a-server'] },
    { server: 'notes', from: 'cursor' },
    { server: 'https://a.example/mcp?key=secret' },
    { server: 'https://me:pw@a.example/mcp' },
  ]) {
    assert.equal(remedyFor(args), failure.remedy, JSON.stringify(args));
  }
  const other = new Error('no failure');
  assert.equal(withServerNamed(other, { server: 'work' }), other);
});
