import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isFieldName,
  isHeaderValue,
  isNqcharText,
  isTokenText,
  isVscharText,
} from '../../../src/core/text/characters.js';

const every = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
const codes = (test: (text: string) => boolean) =>
  every.filter((character) => test(`a${character}b`)).map((character) => character.charCodeAt(0));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('a token holds no control, space, double quote, backslash or non-ASCII [A-118]', () => {
  const expected = [0x21, ...range(0x23, 0x5b), ...range(0x5d, 0x7e)];
  assert.deepEqual(codes(isTokenText), expected);
  assert.deepEqual(codes(isNqcharText), expected);
  for (const text of ['', 'abc\n', 'abc\r\n', '\nabc', 'a’b']) {
    assert.equal(isTokenText(text), false, JSON.stringify(text));
  }
  assert.equal(isTokenText('eyJ-._~+/=='), true);
});

test('VSCHAR is visible ASCII and space', () => {
  assert.deepEqual(codes(isVscharText), range(0x20, 0x7e));
  assert.equal(isVscharText(''), false);
  assert.equal(isVscharText('abc\n'), false);
});

test('a header value holds no line break, control or non-ASCII [A-161]', () => {
  assert.deepEqual(codes(isHeaderValue), [0x09, ...range(0x20, 0x7e)]);
  assert.equal(isHeaderValue(''), true);
  assert.equal(isHeaderValue('abc\n'), false);
});

test('a field name is a token of RFC 9110', () => {
  const names = codes(isFieldName).map((code) => String.fromCharCode(code));
  assert.equal(names.join(''), "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
  assert.equal(isFieldName(''), false);
  assert.equal(isFieldName('x\n'), false);
});
