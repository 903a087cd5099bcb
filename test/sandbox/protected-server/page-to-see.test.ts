import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PagesToSee } from '../../../src/sandbox/protected-server/pages-to-see.js';

test('the page of the tool connect looks as the other pages of the sandbox do, on a telephone and in the dark', () => {
  const pages = new PagesToSee('http://127.0.0.1:7000/mcp');
  const { url } = pages.of('alice');
  for (const [path, status, title] of [
    [new URL(url).pathname, 200, 'The sandbox has seen you'],
    ['/mcp/connect/nothing', 404, 'There is no such page'],
  ] as const) {
    const response = pages.response('GET', path);
    assert.equal(response?.status, status);
    const text = Buffer.from(response?.body as Uint8Array).toString();
    assert.ok(text.includes(`<h1>${title}</h1>`), title);
    assert.match(text, /<meta name="viewport" content="width=device-width/);
    assert.match(text, /prefers-color-scheme: dark/);
    const policy = response?.headers.find(([name]) => name === 'content-security-policy');
    assert.match(policy?.[1] ?? '', /^default-src 'none'; style-src 'sha256-/);
  }
});
