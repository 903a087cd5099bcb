import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeIs } from '../../../src/core/text/characters.js';

test('letter case, white space and parameters do not matter', () => {
  for (const value of [
    'application/json',
    'Application/JSON',
    ' application/json ; charset=utf-8',
    'application/json;',
  ]) {
    assert.equal(mediaTypeIs(value, 'text/event-stream', 'application/json'), true, value);
  }
});

test('other types, none at all, and two in one are something else', () => {
  const others = [undefined, '', ';application/json', 'text/html', 'application/json, text/html', 'application/jsonx'];
  for (const value of [...others, 'text/html; x=application/json', 'application/problem+json']) {
    assert.equal(mediaTypeIs(value, 'application/json'), false, value);
  }
});
