import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attaches } from '../../src/core/resource.js';

const base = 'https://host/b/mcp';

test('a token goes to its server’s address and below it [A-157]', () => {
  const below = ['', '/', '/x', '/x/y?z=1', '?x=1', '//x', '/x;v=1', '/a.b/..c/...', '/%20%41'];
  for (const tail of below) {
    assert.equal(attaches(base, base + tail), true, tail);
  }
  assert.equal(attaches(base, 'HTTPS://HOST:443/b/mcp'), true);
  for (const target of ['https://host', 'https://host/', 'https://host/any', 'https://host?x']) {
    assert.equal(attaches('https://host', target), true, target);
    assert.equal(attaches('https://host/', target), true, target);
  }
  assert.equal(attaches('https://host/mcp/', 'https://host/mcp/x'), true);
});

test('what is encoded a few times over, and is no dot, passes [A-157]', () => {
  for (const tail of ['/%2520', '/a%252520', '/%2525252541']) {
    assert.equal(attaches(base, base + tail), true, tail);
  }
});

test('a token goes to no sibling and no parent [A-157]', () => {
  const others = [
    'https://host/a/mcp',
    'https://host/b/mcp-evil',
    'https://host/b/mcpx',
    'https://host/b',
    'https://host',
  ];
  others.push(
    'https://host/b/mcp;x',
    'https://host/b/mcp%2f',
    'https://host/b/MCP',
    'https://host/b/mc%70',
    'https://host/b//mcp',
  );
  for (const target of others) {
    assert.equal(attaches(base, target), false, target);
  }
  assert.equal(attaches('https://host/mcp/', 'https://host/mcp'), false);
});

test('no spelling of going up leads out [A-157]', () => {
  const ways = [
    '/..',
    '/../a',
    '/x/../../a',
    '/.',
    '/./',
    '/%2e%2e/a',
    '/.%2E/a',
    '/%2e/a',
    '/..;/a',
    '/..;x=1/a',
    '/.;/',
  ];
  ways.push('%2f..%2fa', '/%2f..%2fa', '/..%2fa', '/x%5c..%5ca', '/%252e%252e/a', '/..%3b/a', '/%25252e%25252e/a');
  ways.push('/x%252f..', '\\..\\a', '/..\\a', '/\\a', '/\t../a', '/..\n/a', '/é');
  for (const way of ways) {
    assert.equal(attaches(base, base + way), false, JSON.stringify(way));
  }
});

test('no spelling of a parameter that a login has in its query gives it another value [A-157]', () => {
  const own = `${base}?project_id=alpha`;
  const ways = ['project_id', 'Project_ID', '%70roject_id', '%2570roject_id', 'project_id[]', 'project_id%5B%5D'];
  ways.push('+project_id', '%20project_id', '%2bproject_id', '%C2%A0project_id', '%EF%BB%BFproject_id', 'project_id+');
  ways.push(
    'project.id',
    'project+id',
    'project%20id',
    'project%5Bid',
    'project_id%00x',
    '%00project_id',
    '?project_id',
  );
  ways.push('x=1;project_id', '%u0070roject_id', '%252525252525252570roject_id');
  for (const way of ways) {
    assert.equal(attaches(own, `${own}&${way}=beta`), false, way);
  }
  for (const more of [
    '',
    'page=2',
    'project=x',
    'id=1',
    'q=a+b%20c',
    'x=',
    'project_ids=1',
    'in=project_id',
    'to=%3Fa%26project_id',
    '%C3%A9=1',
  ]) {
    assert.equal(attaches(own, `${own}&${more}`), true, more);
  }
});

test('a token leaves its origin under no disguise [A-155] [A-157]', () => {
  const others = [
    'http://host/b/mcp',
    'https://host:8443/b/mcp',
    'https://host./b/mcp',
    'https://x.host/b/mcp',
    'https://hos/b/mcp',
  ];
  others.push(
    'https://user@host/b/mcp',
    'https://host@evil/b/mcp',
    'https://host:443@evil/b/mcp',
    'https://evil/b/mcp',
  );
  others.push(
    'https://host\\@evil/b/mcp',
    'https://host%2eevil/b/mcp',
    '//host/b/mcp',
    '/b/mcp',
    'ftp://host/b/mcp',
    '',
  );
  others.push(
    'https://host/b/mcp#f',
    ' https://host/b/mcp',
    'https:host/b/mcp',
    'https:///host/b/mcp',
    'wss://host/b/mcp',
  );
  for (const target of others) {
    assert.equal(attaches(base, target), false, target);
  }
});

test('whatever attaches is still below the server’s path after the platform has normalised it [A-157]', () => {
  const pieces = ['/', '..', '.', '%2e', '%2f', '%5c', '\\', ';', 'x', '%25', '2e', '?', '#', '@', ':', '\t', '//'];
  const tail = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(tail, fc.constantFrom('https://host', base, `${base}/`), (text, from) => {
      const target = from + text;
      if (attaches(from, target)) {
        const url = new URL(target);
        const path = new URL(from).pathname;
        assert.equal(url.origin, 'https://host');
        assert.ok(url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')), target);
        const decoded = decodeURIComponent(
          decodeURIComponent(url.pathname.replace(/%(?![0-9a-f]{2})/gi, '%25')).replace(/%(?![0-9a-f]{2})/gi, '%25'),
        );
        assert.doesNotMatch(decoded, /(?:^|[/\\])\.\.?(?:$|[/\\;])/, target);
      }
    }),
    { numRuns: 5000 },
  );
});

test('dots in overlong UTF-8, in other widths, with blanks, controls or parameters about them lead nowhere [A-157] [A-219]', () => {
  const dots = [
    ...['%c0%ae%c0%ae', '%c0%ae.', '.%C0%AE', '%c0%2e%c0%2e', '%e0%80%ae%e0%80%ae', '%f0%80%80%ae.'],
    ...['%f8%80%80%80%ae.', '%fc%80%80%80%80%ae.', '%25c0%25ae%25c0%25ae', '%c0%ae', '%ef%bc%8e%ef%bc%8e'],
    ...['%e2%80%a5', '%e2%80%a4.', '..%20', '.%20.', '%20..', '..%09', '.%09.', '..%00', '..%0d%0a', '..%a0', '..%7f'],
    ...[
      '..%2520',
      '.%20',
      '%20.',
      '..;',
      '..%3b',
      '..%3bx',
      '..%20;x=1',
      '.%3b',
      '..%3f',
      '..%23',
      '...%20',
      '%25u002e.',
    ],
    ...['a;..', 'a%ef%bc%8f..', '..%ef%bc%8fa', '%2e%c0%ae', '%c0%80..'],
    ...['..%e2%81%84a', '..%e2%88%95a', '..%e2%88%96a', '..%ef%bc%bca', '..%ef%b9%a8a'],
    `%${'25'.repeat(7)}2e%${'25'.repeat(7)}2e`,
  ];
  for (const dot of dots) {
    for (const tail of [`/${dot}`, `/${dot}/admin`, `/x/${dot}/${dot}/admin`]) {
      assert.equal(attaches(base, base + tail), false, tail);
      assert.equal(attaches('https://host', `https://host${tail}`), false, tail);
    }
  }
  const separators = ['%c0%af', '%c1%9c', '%e0%80%af', '%e0%81%9c', '%f0%80%80%af', '%c0%2f', '%c1%1c', '%25c0%25af'];
  for (const separator of separators) {
    assert.equal(attaches(base, `${base}/x${separator}y`), false, separator);
    assert.equal(attaches(base, `${base}/..${separator}..${separator}admin`), false, separator);
  }
});

test('names with dots, blanks, letters of any script and old code pages are names', () => {
  const names = [
    'a.b',
    '...',
    '..c',
    'c..',
    'a%20b',
    'a%20.b',
    'caf%e9',
    '%c0%20la',
    '%C3%80',
    '%e0%b8%81',
    '%F0%9F%98%80',
  ];
  const more = ['a%c0%aeb', '%e3%81%82%ef%bc%8f%e3%81%84', '%ef%bc%8e%ef%bc%8ex', 'a;b=.5', 'v1.%32', '%c3%ae.'];
  for (const name of [...names, ...more]) assert.equal(attaches(base, `${base}/${name}/x`), true, name);
});
