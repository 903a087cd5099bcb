import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startHttp } from '../support/http-server.js';

const run = promisify(execFile);
const httpModule = new URL('../../src/http/client.js', import.meta.url).href;

/** A whole program that sends one request, does `after` with it, and has nothing more to do. */
function program(url: string, after: string): string {
  return `
    import { createHttpClient } from ${JSON.stringify(httpModule)};
    const http = createHttpClient({ env: process.env, userAgent: 'x' });
    const response = await http.send({
      method: 'GET', url: ${JSON.stringify(url)}, namedBy: 'person', redirects: 'refuse',
      limits: { totalMs: 50_000, headersMs: 50_000, maxBytes: 1000 }, signal: new AbortController().signal,
    });
    ${after}
    process.on('exit', () => console.log('ended'));
  `;
}

test('a program that is done with the door ends, closed or not: nothing keeps it', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/endless') response.write('first');
    else response.end('ok');
  });
  const cases = [
    ['/', 'await response.bytes(); await http[Symbol.asyncDispose]();'],
    ['/', 'await response.bytes();'],
    ['/endless', 'await http[Symbol.asyncDispose]();'],
    ['/endless', 'await response[Symbol.asyncDispose]();'],
  ] as const;
  for (const [path, after] of cases) {
    const script = program(server.origin + path, after);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    assert.equal(stdout, 'ended\n', after);
  }
});

test('a program that never sends does not load the HTTP client', async () => {
  const script = `
    import { createRequire } from 'node:module';
    import { createHttpClient } from ${JSON.stringify(httpModule)};
    const http = createHttpClient({ env: {}, userAgent: 'x', resolve: async () => [] });
    await http[Symbol.asyncDispose]();
    const require = createRequire(${JSON.stringify(httpModule)});
    console.log(Object.keys(require.cache).filter((file) => file.includes('undici')).length);
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(stdout, '0\n');
});
