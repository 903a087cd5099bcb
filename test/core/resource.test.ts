import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalResource } from '../../src/core/resource.js';
import { anyText, anyUrlWithoutFragment } from '../support/arbitraries.js';

function canonical(raw: string): string {
  const result = canonicalResource(raw);
  return result.ok ? result.value : `refused: ${result.problem}`;
}

test('scheme and host in lower case, own port and lone slash left out, the rest as typed [R-4.8a] [A-30]', () => {
  const cases: Readonly<Record<string, string>> = {
    'HTTPS://MCP.Example.COM/MCP': 'https://mcp.example.com/MCP',
    'https://host:443': 'https://host',
    'http://127.0.0.1:80/mcp': 'http://127.0.0.1/mcp',
    'https://host:08443/x': 'https://host:8443/x',
    'https://host:/x': 'https://host/x',
    'https://host/': 'https://host',
    'https://host/?x=1': 'https://host/?x=1',
    'https://host?x=1': 'https://host?x=1',
    'https://host/mcp/': 'https://host/mcp/',
    'https://host/%7Ea/~b': 'https://host/%7Ea/~b',
    'https://[::1]:3000/mcp': 'https://[::1]:3000/mcp',
  };
  for (const [raw, value] of Object.entries(cases)) {
    assert.equal(canonical(raw), value);
  }
});

test('dot segments are resolved once, at entry [A-30]', () => {
  const cases = ['/a/../b', '/./b', '/a/%2e%2E/b', '/../../b', '/x/y/.././../b'];
  for (const path of cases) {
    assert.equal(canonical(`https://h${path}`), 'https://h/b', path);
  }
  assert.equal(canonical('https://h/a/..'), 'https://h');
  assert.equal(canonical('https://h/a/b/..'), 'https://h/a/');
  assert.equal(canonical('https://h/a/b/.'), 'https://h/a/b/');
  assert.equal(canonical('https://h/%252e%252e/b'), 'https://h/%252e%252e/b');
});

test('a query of other names is kept as it was typed', () => {
  for (const name of ['tokens', 'tokenizer', 'keys', 'key', 'project', 'secrets%20of', 'passwords', '%20', '']) {
    assert.equal(canonical(`https://h/mcp?${name}=1`), `https://h/mcp?${name}=1`);
  }
});

test('a canonical address stays as it is, and leads where the typed one leads', () => {
  const url = anyUrlWithoutFragment;
  fc.assert(
    fc.property(url, fc.constantFrom('', '/', '/..', '/a/../b', '/.'), (base, tail) => {
      const raw = base.includes('?') ? base : base + tail;
      const once = canonicalResource(raw);
      if (once.ok) {
        assert.equal(canonical(once.value), once.value);
        // Behind “//.a” Node 20 leaves dot segments of a typed address as they are; no canonical one has any.
        if (!/\/\.{1,2}(?:\/|$)/.test(new URL(raw).pathname)) assert.equal(new URL(once.value).href, new URL(raw).href);
      }
    }),
  );
});

test('any text is either refused or made canonical', () => {
  fc.assert(
    fc.property(anyText(), fc.constantFrom('', 'https://', 'http://h'), (text, start) => {
      const result = canonicalResource(start + text);
      assert.equal(result.ok ? result.value.startsWith('http') : typeof result.problem === 'string', true);
    }),
  );
});
