import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { scriptedServer, usual } from '../bridge/host.js';
import { startCanaries } from '../support/canary.js';
import { startHttp } from '../support/http-server.js';
import { ToolPolicy } from '../support/product.js';
import { ask, firstToken, mountOf, openStand, tokenFor } from './stand.js';

const bearer = (number: number) => `Bearer canary-token-${number}`;

test('[Q-2.17] a request arrives as it was sent but for what is ours to write, and so does its answer: no Referer with the key, nothing of who the caller is, no CORS headers, no challenge [A-215] [A-212] [A-216] [A-224] [A-230] [A-168]', async () => {
  let seen: { line: string; headers: readonly string[]; body: string } | undefined;
  await using server = await startHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen = { line: `${request.method} ${request.url}`, headers: request.rawHeaders, body };
    const cors = ['Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Credentials', 'true'];
    const own = [
      'X-Own',
      'a',
      'x-own',
      'b',
      'Content-Type',
      'text/plain',
      'Mcp-Session-Id',
      's',
      'Content-Encoding',
      'x',
    ];
    const steering = [
      ...['Set-Cookie', 'a=b', 'Clear-Site-Data', '"*"', 'Strict-Transport-Security', 'max-age=1'],
      ...['Refresh', '0;url=http://evil', 'Service-Worker-Allowed', '/', 'Alt-Svc', 'h2="evil:443"'],
      ...['WWW-Authenticate', 'Basic', 'Proxy-Authenticate', 'Basic', 'Authentication-Info', 'x'],
      ...['Connection', 'X-Hop', 'X-Hop', '1', 'Content-Location', 'http://h/mcp', 'Referrer-Policy', 'unsafe-url'],
      ...['Cross-Origin-Opener-Policy', 'unsafe-none', 'X-Content-Type-Options', 'none'],
    ];
    response.writeHead(207, 'Odd', [...own, ...steering, ...cors]);
    response.end('the answer');
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp?t=1`));
  const headers = {
    authorization: 'Bearer other',
    cookie: 'a=b',
    referer: `http://127.0.0.1:${stand.port}${stand.at()}`,
    'x-own': ['1', '2'],
    'mcp-param-odd': 'a b',
    'content-type': 'a/b',
    ...{ 'proxy-authorization': 'Basic x', connection: 'x-foo, keep-alive', 'x-foo': '1', te: 'trailers' },
    ...{ forwarded: 'for=me', 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'h', 'x-real-ip': '1', via: '1.1 me' },
    ...{ 'x-original-url': '/admin', 'x-rewrite-url': '/admin', 'http2-settings': 'x', 'keep-alive': '5' },
  };
  const answer = await ask(stand, stand.at('/x?y=1'), { method: 'PATCH', headers, body: 'the body' });
  assert.equal(seen?.line, 'PATCH /mcp/x?t=1&y=1');
  assert.equal(seen?.body, 'the body');
  const sent = seen?.headers.join('\n').toLowerCase() ?? '';
  assert.deepEqual(sent.match(/authorization\n.*/g), [`authorization\nbearer ${firstToken}`]);
  assert.match(sent, /x-own\n1\nx-own\n2\n/);
  assert.match(sent, /mcp-param-odd\na b\n/);
  assert.doesNotMatch(
    sent,
    /cookie|via|forwarded|real-ip|-url|accept-encoding|user-agent|referer|proxy-|x-foo|^te$|http2|^5$|text.html/m,
  );
  assert.ok(!sent.includes(stand.key.toLowerCase()));
  assert.deepEqual([answer.status, answer.body, answer.headers['content-type']], [207, 'the answer', 'text/plain']);
  assert.deepEqual(
    answer.raw.filter((_, at) => /^x-own$/i.test(answer.raw[at - 1] ?? '')),
    ['a', 'b'],
  );
  const steers =
    /set-cookie|access-control|clear-site|strict-transport|refresh|service-worker|alt-svc|authenticat|x-hop|location|unsafe|^none$/im;
  assert.doesNotMatch(answer.raw.join('\n'), steers);
  assert.deepEqual([answer.headers['mcp-session-id'], answer.headers['content-encoding']], ['s', 'x']);
});

test('a 401 makes one new token and one second try, its challenge is never seen [A-223] [A-227]', async () => {
  const tokens: string[] = [];
  await using server = await startHttp((request, response) => {
    const token = request.headers.authorization ?? '';
    tokens.push(token);
    request.resume().on('end', () => {
      if (token === bearer(1) || tokens.length > 10) response.end('fine');
      else
        response.writeHead(401, { 'WWW-Authenticate': 'Bearer resource_metadata="https://evil.example/"' }).end('no');
    });
  });
  const mount = mountOf(`${server.origin}/mcp`);
  await using stand = await openStand(mount);
  const first = await ask(stand, stand.at(), { method: 'POST', body: 'x'.repeat(300_000) });
  assert.deepEqual([first.status, first.body], [200, 'fine']);
  assert.deepEqual([tokens, mount.renewals], [[bearer(0), bearer(1)], [firstToken]]);
  const url = `${server.origin}/mcp`;
  const replace = async () => tokenFor(url, firstToken);
  await using stubborn = await openStand(mountOf(url, { replace }));
  const second = await ask(stubborn, stubborn.at(), { method: 'POST', body: 'x' });
  assert.deepEqual([second.status, second.code], [401, 'token_refused']);
  assert.equal(second.headers['www-authenticate'], undefined);
  assert.doesNotMatch(second.body, /evil|canary/);
  assert.equal(tokens.length, 4, 'no third try');
});

test('a server that no scope contents is asked four times, and then the caller hears that it still refuses [A-162] [A-223]', async () => {
  let asked = 0;
  await using server = await startHttp((_, response) => {
    asked += 1;
    response.writeHead(asked > 10 ? 200 : 403, {
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="more-${asked}"`,
    });
    response.end();
  });
  const url = `${server.origin}/mcp`;
  const widen = async () => ({ token: tokenFor(url, 'canary-token-1'), helped: async () => undefined });
  await using stand = await openStand(mountOf(url, { widen }));
  const { status, headers, code } = await ask(stand, stand.at());
  assert.deepEqual([status, headers['www-authenticate'], code, asked], [403, undefined, 'scope_refused', 4]);
});

test('a body that was not kept is never sent twice: the caller is told, and the next request has the new token [A-227]', async () => {
  const got: string[] = [];
  await using server = await startHttp((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
    });
    request.on('end', () => {
      got.push(`${request.headers.authorization} ${size}`);
      response.writeHead(request.headers.authorization === bearer(1) ? 200 : 401).end();
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const body = Buffer.alloc(1_048_577);
  const refused = await ask(stand, stand.at(), { method: 'POST', body });
  assert.deepEqual([refused.status, refused.code], [401, 'token_refused']);
  assert.deepEqual(got, [`${bearer(0)} 1048577`]);
  assert.equal((await ask(stand, stand.at(), { method: 'POST', body })).status, 200);
  const chunked = { 'transfer-encoding': 'chunked' };
  await using other = await openStand(mountOf(`${server.origin}/mcp`));
  const kept = await ask(other, other.at(), { method: 'POST', headers: chunked, body: Buffer.alloc(1_000_000) });
  assert.equal(kept.status, 200, 'nearly 1 MiB is kept, though its length was not announced');
});

test('redirects are never followed: within the mount they are told, elsewhere they are an error [A-222] [A-153] [A-154]', async () => {
  await using canaries = await startCanaries();
  const evil = `http://127.0.0.2:${canaries.ports['127.0.0.2']}`;
  const places = [`${evil}/mcp`, `//127.0.0.2:${canaries.ports['127.0.0.2']}/mcp`, '/other', '/mcp/../x', 'https://h/'];
  await using server = await startHttp((request, response) => {
    const at = Number(request.url?.split('=')[1]);
    const status = request.url?.includes('created') ? 201 : request.url?.includes('absent') ? 404 : 307;
    const location = places[at] ?? '/mcp/next?page=2';
    const own = request.url?.includes('twice') ? ['location', '/mcp/next'] : [];
    response.writeHead(status, [...own, 'location', location]);
    response.end();
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  for (const [at, place] of places.entries()) {
    const answer = await ask(stand, stand.at(`?at=${at}`));
    assert.deepEqual([answer.status, answer.code], [502, 'redirect_refused'], place);
    assert.equal(answer.headers.location, undefined);
    assert.doesNotMatch(answer.body, /127\.0\.0\.2|other/);
    const twice = await ask(stand, stand.at(`?twice=${at}`));
    assert.deepEqual([twice.status, twice.code], [502, 'redirect_refused'], 'and to the mount beside it');
    const created = await ask(stand, stand.at(`/created?at=${at}`), { method: 'POST' });
    assert.deepEqual([created.status, created.headers.location], [201, undefined], place);
    const absent = await ask(stand, stand.at(`/absent?at=${at}`));
    assert.deepEqual([absent.status, absent.headers.location], [404, undefined], place);
  }
  const within = await ask(stand, stand.at('?at=99'));
  assert.deepEqual([within.status, within.headers.location], [307, stand.at('/next?page=2')]);
  const byHeader = await ask(stand, '/m?at=99', { headers: { 'postern-key': stand.key } });
  assert.equal(byHeader.headers.location, '/m/next?page=2');
  assert.deepEqual(canaries.visits, []);
  assert.equal(server.requests.length, 4 * places.length + 2);
});

test('with several servers, each gets its own token, and no session of another one [A-228]', async () => {
  const seen: string[] = [];
  const handler = (name: string) => (request: { headers: Record<string, unknown> }, response: ServerResponse) => {
    seen.push(`${name} ${request.headers['authorization']} ${request.headers['mcp-session-id'] ?? ''}`);
    response.setHeader('mcp-session-id', `session-of-${name}`);
    response.end();
  };
  await using a = await startHttp(handler('a'));
  await using b = await startHttp(handler('b'));
  const mount = (name: string, origin: string) =>
    mountOf(`${origin}/mcp`, { name, current: () => tokenFor(`${origin}/mcp`, `token-of-${name}`) });
  await using stand = await openStand([mount('a', a.origin), mount('b', b.origin)]);
  await ask(stand, stand.at('', 'a'));
  const headers = { 'mcp-session-id': 'session-of-a' };
  const stolen = await ask(stand, stand.at('', 'b'), { headers });
  assert.deepEqual([stolen.status, stolen.code], [400, 'session_of_other_server']);
  await ask(stand, stand.at('', 'a'), { headers });
  await ask(stand, stand.at('', 'b'));
  assert.deepEqual(seen, ['a Bearer token-of-a ', 'a Bearer token-of-a session-of-a', 'b Bearer token-of-b ']);
  assert.equal((await ask(stand, stand.at('/../b', 'a'))).code, 'bad_target');
  assert.equal((await ask(stand, stand.at('', 'c'))).status, 404);
});

test('cookies are kept for the session that they came in, and handed on to nobody [A-224] [A-215]', async () => {
  let count = 0;
  await using server = await scriptedServer((seen, response) => {
    const { message, headers } = seen;
    if (message.method === 'initialize') {
      count += 1;
      response.setHeader('set-cookie', `pin=${count}; Path=/`);
      return usual(seen, response, `session-${count}`);
    }
    if (message.method === 'set') response.setHeader('set-cookie', 'more=1');
    return headers.cookie === undefined ? void response.writeHead(404).end() : usual(seen, response);
  });
  await using elsewhere = await scriptedServer((seen, response) => usual(seen, response, 'session-1'));
  const policy = new ToolPolicy({ allowTool: [], denyTool: [], readOnly: true }, () => undefined);
  const mounts = [
    mountOf(server.url),
    { ...mountOf(server.url, { name: 'lent' }), policy },
    mountOf(elsewhere.url, { name: 'elsewhere' }),
  ];
  await using stand = await openStand(mounts);
  const say = async (method: string, session?: string, mount = 'm') => {
    const headers = {
      ...{ 'content-type': 'application/json', 'postern-key': stand.key, cookie: 'pin=2' },
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    };
    const params = method === 'tools/call' ? { name: 'a' } : { protocolVersion: '2025-11-25' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await ask(stand, `/${mount}`, { method: 'POST', headers, body });
    assert.doesNotMatch(JSON.stringify([answer.raw, answer.body]), /cookie|pin=|more=/i);
    return (mount === 'elsewhere' ? elsewhere : server).seen.at(-1)?.headers.cookie;
  };
  assert.equal(await say('initialize'), undefined);
  assert.equal(await say('initialize'), undefined);
  assert.equal(await say('ping', 'session-1'), 'pin=1');
  assert.equal(await say('ping', 'session-2'), 'pin=2');
  assert.equal(await say('set', 'session-1'), 'pin=1');
  assert.equal(await say('ping', 'session-1'), 'pin=1; more=1');
  assert.equal(await say('ping', 'session-2'), 'pin=2', 'what one session made the server set is not the other’s');
  assert.equal(await say('ping'), undefined, 'without a session');
  assert.equal(await say('initialize', undefined, 'elsewhere'), undefined);
  assert.equal(await say('ping', undefined, 'elsewhere'), undefined, 'another server');
  await say('initialize', undefined, 'lent');
  await say('tools/call', 'session-3', 'lent');
  const listed = server.seen.find(({ message }) => message.method === 'tools/list');
  assert.equal(listed?.headers.cookie, 'pin=3', 'what is asked in the session');
});
