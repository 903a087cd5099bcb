import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { bareHome, event, requestOf, scriptedServer, usual } from '../../bridge/host.js';
import { getFrom } from '../../login/browser/listener-under-test.js';
import { runHere, terminalHere } from '../../support/in-process.js';
import { homeWithBrowser } from '../home-with-browser.js';
import { metaOf, newerServer } from '../newer-server.js';

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const columns = 100;

/** What is offered whoever is there. */
const extensions = { 'io.modelcontextprotocol/tasks': {} };

/** What a browser gets at a link of ours. */
function visit(link: string, headers: Readonly<Record<string, string>> = {}) {
  const { port, host, pathname } = new URL(link);
  return getFrom(Number(port), pathname, { host, ...headers });
}

/** A newer server that wants its page seen until the person has said that it is. */
function pageServer(url: string | ((origin: string) => string), rounds = 1) {
  return newerServer(({ method, params }, { headers }) => {
    if (method !== 'tools/call') return { result: { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] } };
    const round = Number(params?.['requestState'] ?? 0);
    const said = (params?.['inputResponses'] as { page?: { action: string } } | undefined)?.page?.action;
    if (said !== undefined && (said !== 'accept' || round >= rounds)) return { result: text(`person: ${said}`) };
    const page = typeof url === 'string' ? url : url(`http://${headers.host}`);
    const asked = { mode: 'url', message: 'Your key, please.', url: page };
    const inputRequests = { page: { method: 'elicitation/create', params: asked } };
    return { result: { resultType: 'input_required', inputRequests, requestState: String(round + 1) } };
  });
}

const callAt = (url: string, ...more: readonly string[]) => ['call', url, 'tool', '--protocol', '2026-07-28', ...more];

test('[Q-4.6][Q-4.7][Q-4.8] a page is shown as a whole with its host, opened after a yes by our own link alone, and the call goes on when the person says so', async () => {
  await using server = await pageServer((origin) => `${origin}/secret-page?for=you`);
  await using given = await homeWithBrowser();
  const { home, browser } = given;
  const words = callAt(server.url, '--timeout', '5');
  await using terminal = terminalHere(home, words, { stdout: 'file', columns });
  const { screen, type } = terminal;
  await screen.waitForStdout(/Open this page\?/);
  await later(5_100); // the time of the person does not count
  assert.equal(await browser.record(), '', 'nothing is opened before the yes');
  assert.match(screen.stdout, /127\.0\.0\.1:\d+\/mcp .*"Your key, please\."/);
  const { origin } = server;
  const host = origin.replace('http://', '');
  assert.ok(screen.stdout.includes(`  http://\u001b[1m${host}\u001b[22m/secret-page?for=you\r\n`), screen.stdout);
  assert.match(screen.stdout, /Host: .*127\.0\.0\.1:\d+.* \(the server’s own host\)/);
  assert.deepEqual(metaOf(server.seen.at(-1) ?? assert.fail())['io.modelcontextprotocol/clientCapabilities'], {
    elicitation: { form: {}, url: {} },
    extensions,
  });
  type('y\r');
  const link = await browser.opened();
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]+$/);
  assert.doesNotMatch(await browser.record(), /secret-page/);
  const sent = await visit(link);
  assert.deepEqual([sent.status, sent.headers['location']], [303, `${origin}/secret-page?for=you`]);
  const [cookie = ''] = String(sent.headers['set-cookie']).split(';');
  assert.equal((await visit(link, { cookie })).status, 303);
  await screen.waitForStdout(/press Enter to go on/);
  assert.equal(
    server.seen.filter(({ message }) => message.method === 'tools/call').length,
    1,
    'not before the person says so',
  );
  type('\r');
  assert.equal((await screen.finished).code, 0, screen.stdout);
  assert.equal(await terminal.result(), 'person: accept\n');
  assert.ok(
    server.seen.every(({ url }) => url === '/mcp'),
    'the page was never fetched by us',
  );
});

test('[Q-4.7][Q-4.10] no, Enter alone and c are told to the server; Ctrl-C ends the call; a link that two have used is asked about', async () => {
  const cases = [
    ['n\r', 'person: decline\n', 0],
    ['\r', 'person: decline\n', 0],
    ['c\r', 'person: cancel\n', 0],
    ['\u0003', '', 130],
  ] as const;
  for (const [keys, said, code] of cases) {
    await using server = await pageServer('https://example.com/page');
    await using given = await homeWithBrowser();
    await using terminal = terminalHere(given.home, callAt(server.url), { stdout: 'file', columns });
    await terminal.screen.waitForStdout(/Open this page\?/);
    terminal.type(keys);
    assert.equal((await terminal.screen.finished).code, code, JSON.stringify(keys));
    assert.equal(await terminal.result(), said);
    assert.equal(await given.browser.record(), '');
  }
  await using server = await pageServer('https://example.com/page');
  await using given = await homeWithBrowser();
  await using terminal = terminalHere(given.home, callAt(server.url), { stdout: 'file', columns });
  const { screen, type } = terminal;
  await screen.waitForStdout(/not the server’s own host[\s\S]*Open this page\?/);
  type('y\r');
  const link = await given.browser.opened();
  await visit(link);
  assert.equal((await visit(link)).status, 410);
  await screen.waitForStdout(/press Enter to go on/);
  type('\r');
  await screen.waitForStdout(/used by two browsers[\s\S]*Was each of them you\?/);
  type('n\r');
  await screen.finished;
  assert.equal(await terminal.result(), 'person: cancel\n');
});

test('[Q-4.7][Q-4.8] without a browser the address is there to copy; one that is not https, and any without a person, is declined', async () => {
  await using server = await pageServer('https://xn--80ak6aa92e.com/page', 2);
  await using home = await bareHome();
  await using terminal = terminalHere(home, callAt(server.url, '--no-browser'), { stdout: 'file', columns });
  const { screen, type } = terminal;
  await screen.waitForStdout(/"аррӏе\.com" is in truth xn--80ak6aa92e\.com[\s\S]*Open this page\?/);
  type('y\r');
  await screen.waitForStdout(/No browser is opened here: copy the address[\s\S]*Enter to go on/);
  type('\r');
  await screen.waitForStdout(/Enter to go on[\s\S]*Open this page\?/);
  type('y\r');
  await screen.waitForStdout(/Enter to go on[\s\S]*Enter to go on/);
  type('c\r');
  await screen.finished;
  assert.equal(await terminal.result(), 'person: cancel\n', 'the server was not content, and asked again');
  for (const url of ['http://example.com/', 'javascript:alert(1)']) {
    await using wrong = await pageServer(url);
    await using refused = terminalHere(home, callAt(wrong.url), { stdout: 'file', columns });
    assert.equal((await refused.screen.finished).code, 0);
    assert.match(refused.screen.stdout, /address/);
    assert.equal(await refused.result(), 'person: decline\n');
  }
  for (const how of ['defaults', 'decline', 'ask']) {
    await using unasked = await pageServer('https://example.com/');
    const words = callAt(unasked.url, '--elicitation', how);
    const { code, stdout } = await runHere(home, words);
    assert.deepEqual([code, stdout], [0, 'person: decline\n'], how);
    const offered = metaOf(unasked.seen.at(-1) ?? assert.fail())['io.modelcontextprotocol/clientCapabilities'];
    assert.deepEqual(offered, how === 'decline' ? { extensions } : { elicitation: { form: {} }, extensions });
  }
});

/** A server of the older era, with a stream of its own on which it says that its page was seen. */
async function olderPages(
  call: (id: unknown, calls: number, response: ServerResponse, stream: () => ServerResponse | undefined) => void,
) {
  let stream: ServerResponse | undefined;
  let calls = 0;
  return scriptedServer((seen, response) => {
    const { method, message } = seen;
    if (method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    } else if (message.method === 'tools/call') {
      calls += 1;
      call(message.id, calls, response, () => stream);
    } else usual(seen, response, 's');
  });
}

const wanted = (id: string) => ({
  mode: 'url',
  elicitationId: id,
  url: `https://example.com/${id}`,
  message: `Page ${id}.`,
});
const done = (elicitationId: string) =>
  event({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
const json = { 'content-type': 'application/json' };

test('[Q-4.8] an older server that asks for a page in the middle of a call is told of the consent at once, and says when it is done', async () => {
  await using server = await olderPages((id, _calls, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: wanted('one') }));
    void requestOf(server, ({ message }) => message.id === 'q').then(({ message }) => {
      response.write(done('unknown'));
      response.write(done('one'));
      response.end(event({ jsonrpc: '2.0', id, result: text(JSON.stringify(message.result)) }));
    });
  });
  await using given = await homeWithBrowser();
  const words = ['call', server.url, 'tool', '--protocol', '2025-11-25'];
  await using terminal = terminalHere(given.home, words, { stdout: 'file', columns });
  await terminal.screen.waitForStdout(/"Page one\."[\s\S]*Open this page\?/);
  terminal.type('y\r');
  assert.equal((await terminal.screen.finished).code, 0, terminal.screen.stdout);
  assert.equal(await terminal.result(), '{"action":"accept"}\n');
  assert.doesNotMatch(terminal.screen.stdout, /elicitation\/complete/);
  const opened = server.seen.find(({ message }) => message.method === 'initialize');
  assert.deepEqual(opened?.message.params?.['capabilities'], { elicitation: { form: {}, url: {} } });
});

test('[Q-4.9] the pages of error -32042 are shown one by one; the server, or the person, says when they are done with, and the call is repeated once', async () => {
  const refused = (id: unknown, ...pages: readonly string[]) => {
    const data = { elicitations: pages.map(wanted) };
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32042, message: 'Pages first.', data } });
  };
  let streamOf: () => ServerResponse | undefined = () => undefined;
  await using server = await olderPages((id, calls, response, stream) => {
    streamOf = stream;
    response.writeHead(200, json);
    response.end(calls === 1 ? refused(id, 'one', 'two') : JSON.stringify({ jsonrpc: '2.0', id, result: text('now') }));
  });
  await using given = await homeWithBrowser();
  const words = (url: string) => ['call', url, 'tool', '--protocol', '2025-11-25'];
  await using terminal = terminalHere(given.home, words(server.url), { stdout: 'file', columns });
  const { screen, type } = terminal;
  await screen.waitForStdout(/"Page one\."[\s\S]*Open this page\?/);
  type('y\r');
  await screen.waitForStdout(/press Enter to go on/);
  streamOf()?.write(done('one'));
  await screen.waitForStdout(/The server says that this is done\.[\s\S]*"Page two\."[\s\S]*Open this page\?/);
  type('y\r');
  await screen.waitForStdout(/"Page two\."[\s\S]*press Enter to go on/);
  type('\r');
  assert.equal((await screen.finished).code, 0, screen.stdout);
  assert.equal(await terminal.result(), 'now\n');

  await using again = await olderPages(
    (id, _calls, response) => void response.writeHead(200, json).end(refused(id, 'one')),
  );
  await using stubborn = terminalHere(given.home, words(again.url), { stdout: 'file', columns });
  await stubborn.screen.waitForStdout(/Open this page\?/);
  stubborn.type('y\r');
  await stubborn.screen.waitForStdout(/press Enter to go on/);
  stubborn.type('\r');
  assert.equal((await stubborn.screen.finished).code, 8);
  assert.equal(again.seen.filter(({ message }) => message.method === 'tools/call').length, 2, 'repeated once');
  const alone = await runHere(given.home, words(again.url));
  assert.equal(alone.code, 8);
  assert.match(alone.stderr, /"https:\/\/example\.com\/one"/);
});

test('[Q-4.7][Q-4.8] a page that an older server wants seen while it is watched is asked about, and so is one in a shell', async () => {
  await using watched = await scriptedServer((seen, response) => {
    if (seen.method !== 'GET') return usual(seen, response, 's');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: wanted('one') }));
  });
  await using given = await homeWithBrowser();
  const watching = ['call', watched.url, '--watch', '--protocol', '2025-11-25'];
  await using terminal = terminalHere(given.home, watching, { stdout: 'file', columns });
  await terminal.screen.waitForStdout(/Open this page\?/);
  terminal.type('n\r');
  const { message } = await requestOf(watched, (one) => one.message.id === 'q');
  assert.deepEqual(message.result, { action: 'decline' });
  terminal.type('\u0003');
  assert.equal((await terminal.screen.finished).code, 130, terminal.screen.stdout);

  await using server = await pageServer('https://example.com/page');
  const home = { ...given.home, env: { ...given.home.env, NO_COLOR: '1' } };
  const shell = ['shell', server.url, '--protocol', '2026-07-28'];
  await using at = terminalHere(home, shell, { stdout: 'terminal', columns });
  const press = async (pattern: RegExp, keys: string) => {
    await at.screen.waitForStdout(pattern);
    at.type(keys);
  };
  await press(/> /, 'tool\r');
  await press(/Open this page\?/, '\u0003');
  await press(/Cancelled[\s\S]*> /, 'tool\r');
  await press(/Cancelled[\s\S]*Open this page\?/, 'y\r');
  await given.browser.opened();
  await press(/Enter to go on/, '\r');
  await press(/person: accept[\s\S]*> /, 'exit\r');
  assert.equal((await at.screen.finished).code, 0, at.screen.stdout);
});
