import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pickCredential, targetUrl } from '../../src/tokens/credential-target.js';
import { anyAuthority } from '../support/arbitraries.js';

const login = (server: string, account = 'default', name?: string) => ({
  server,
  account,
  ...(name === undefined ? {} : { name }),
});
const github = login('https://github.com', 'default', 'gh');
const tools = login('https://a.example/mcp', 'default', 'tools');
const deeper = login('https://a.example/mcp/deeper');
const here = login('http://127.0.0.1:8080/mcp');
const all = [github, tools, deeper, here];

/** The server of the login that is picked, or what else came of it. */
function picked(target: string | undefined, change: Partial<Parameters<typeof pickCredential>[1]> = {}, logins = all) {
  const wanted = { named: undefined, account: undefined, wholeHost: false, ...change, target };
  const found = pickCredential(logins, wanted);
  return found.kind === 'one' ? found.login.server : found.kind;
}

test('[A-173][A-174] a token goes to its own origin and path, in whatever spelling, and nowhere else', () => {
  for (const target of [
    'https://github.com/x/y.git',
    'https://GITHUB.COM/x',
    'https://github.com:443',
    'HTTPS://github.com/',
    'git+https://github.com/x',
    'github.com/x',
    'github.com:443',
    'wss://github.com/x',
    'grpcs://github.com',
  ]) {
    assert.equal(picked(target), 'https://github.com', target);
  }
  for (const target of [
    'https://github.com.evil.com/x',
    'https://evilgithub.com/x',
    'https://github.com./x',
    'https://xn--github-xyz.com/x',
    'https://gіthub.com/x',
    'https://github.com:444/x',
    'http://github.com/x',
    'ws://github.com/x',
    'https://user@github.com/x',
    'https://user:x@github.com/x',
    'https://github.com@evil.com/x',
    'https://evil.com\\@github.com/x',
    'https://github.com%2eevil.com/x',
    'https://github.com\u0000.evil/x',
    'https://github.com\n/x',
    'https:/github.com/x',
    'ftp://github.com/x',
    'file:///etc/passwd',
    '',
  ]) {
    assert.equal(picked(target), 'none', JSON.stringify(target));
  }
});

test('[A-173][A-172] the path is a prefix on a segment boundary, and the longest one wins', () => {
  assert.equal(picked('https://a.example/mcp'), tools.server);
  assert.equal(picked('https://a.example/mcp/'), tools.server);
  assert.equal(picked('https://a.example/mcp/deep'), tools.server);
  assert.equal(picked('https://a.example/mcp/deeper/x?y#z'), deeper.server);
  for (const path of [
    '',
    '/',
    '/mcpx',
    '/MCP',
    '/mcp/../x',
    '/mcp/%2e%2e/x',
    '/mcp/..%2fx',
    '/mcp/%252e%252e/',
    '//mcp',
  ]) {
    assert.equal(picked(`https://a.example${path}`), 'none', path);
  }
});

test('[A-173] plain http only to a loopback server that was logged in to by that very URL', () => {
  assert.equal(picked('http://127.0.0.1:8080/mcp/x'), here.server);
  for (const target of [
    'http://127.0.0.1:8081/mcp',
    'http://localhost:8080/mcp',
    'https://127.0.0.1:8080/mcp',
    '127.0.0.1:8080/mcp',
  ]) {
    assert.equal(picked(target), 'none', target);
  }
  const planted = [login('http://evil.example/mcp', 'default', 'planted')];
  assert.equal(picked('http://evil.example/mcp', {}, planted), 'none');
  assert.equal(picked(undefined, { named: 'planted' }, planted), 'none');
});

test('of several accounts the default one, else the one that is named, and never a guess', () => {
  const two = [login('https://a.example/mcp', 'a'), login('https://a.example/mcp', 'b')];
  assert.equal(picked('https://a.example/mcp', {}, two), 'several');
  assert.equal(picked('https://a.example/mcp', { account: 'b' }, two), two[1]?.server);
  assert.equal(picked('https://a.example/mcp', { account: 'c' }, two), 'none');
  assert.equal(picked('https://a.example/mcp', {}, [...two, tools]), tools.server);
});

test('a host as a whole is answered for by choice, and only while one login is meant', () => {
  assert.equal(picked('https://a.example', { wholeHost: true }, [tools]), tools.server);
  assert.equal(picked('https://a.example/other', { wholeHost: true }, [tools]), tools.server);
  assert.equal(picked('https://a.example/mcp', { wholeHost: true }), 'several');
  assert.equal(picked('https://b.example/mcp', { wholeHost: true }), 'none');
});

test('[A-173] the login named in the caller’s configuration is given for its own server only', () => {
  assert.equal(picked('https://a.example/mcp/x', { named: 'tools' }), tools.server);
  assert.equal(picked(undefined, { named: 'tools' }), tools.server);
  assert.equal(picked('https://evil.example/mcp', { named: 'tools' }), 'elsewhere');
  assert.equal(picked('nonsense://', { named: 'tools' }), 'elsewhere');
  assert.equal(picked('https://a.example/', { named: 'tools' }), 'none');
  assert.equal(picked('https://github.com/x', { named: 'nobody' }), 'none');
  assert.equal(picked(undefined), 'none');
});

test('[A-173][A-174] whatever is asked for, what is picked is of exactly that origin', () => {
  const host = fc.oneof(
    fc.constantFrom(
      'github.com',
      'GitHub.com',
      'github.com.',
      'a.example',
      '127.0.0.1:8080',
      'github.com:443',
      'github.com@evil',
      'localhost',
    ),
    fc.string({ maxLength: 12 }),
    anyAuthority,
  );
  const path = fc.oneof(
    fc.constantFrom('', '/', '/mcp', '/mcp/deeper', '/mcp/../', '/%2e%2e/mcp'),
    fc.string({ maxLength: 10 }),
  );
  const scheme = fc.constantFrom('https://', 'http://', 'wss://', 'git+https://', '', 'HTTPS://', 'https:');
  fc.assert(
    fc.property(scheme, host, path, (...parts) => {
      const target = parts.join('');
      const server = picked(target);
      if (!server.includes('://')) return;
      const asked = new URL(targetUrl(target) ?? 'none:');
      assert.equal(asked.origin, new URL(server).origin, target);
      const base = new URL(server).pathname;
      assert.ok(asked.pathname === base || asked.pathname.startsWith(base.replace(/\/?$/, '/')), target);
    }),
  );
});
