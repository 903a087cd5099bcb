import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isListed } from '../../src/http/proxy-settings.js';

const listed = (list: string, host: string, port = 443): boolean => isListed(list, host, port);

test('NO_PROXY lists names, what is below them, addresses, blocks, ports, and everything', () => {
  const yes: readonly (readonly [string, string, number?])[] = [
    ['*', 'any.example'],
    ['good.example', 'good.example'],
    ['GOOD.example', 'good.EXAMPLE'],
    ['good.example', 'a.b.good.example'],
    ['.good.example', 'good.example'],
    ['*.good.example', 'a.good.example'],
    ['x, y good.example', 'good.example'],
    ['good.example:8443', 'good.example', 8443],
    ['good.example', 'good.example.'],
    ['10.0.0.0/8', '10.9.8.7'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3:443', '10.1.2.3'],
    ['fd00::/8', 'fd12::1'],
    ['fd12::1', 'fd12:0::1'],
    ['[fd12::1]:443', 'fd12::1'],
  ];
  for (const [list, host, port] of yes) assert.ok(listed(list, host, port), `${list} ${host}`);
  const no: readonly (readonly [string, string, number?])[] = [
    ['', 'good.example'],
    [' , ', 'good.example'],
    ['good.example', 'notgood.example'],
    ['good.example', 'example'],
    ['good.example:8443', 'good.example', 443],
    ['10.0.0.0/8', '11.0.0.1'],
    ['10.0.0.0/8', '10.example'],
    ['10.0.0.0/x', '10.0.0.1'],
    ['fd00::/8', '10.0.0.1'],
    ['1', '10.0.0.1'],
    ['10.0.0.1', '110.0.0.1'],
    ['[fd12::1]:8443', 'fd12::1'],
  ];
  for (const [list, host, port] of no) assert.ok(!listed(list, host, port), `${list} ${host}`);
});

test('any list and host give an answer', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (list, host) => typeof isListed(list, host, 1) === 'boolean'));
});
