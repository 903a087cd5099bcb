import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { bareHome, event, type Rpc, type ScriptedServer, scriptedServer, startBridge, usual } from '../bridge/host.js';
import { meta, metaIn, methodsOf, open, protocolVersion, sendJson } from '../bridge/translation/newer-only.js';
import { runHere } from '../support/in-process.js';

type Verdict = 'newer' | 'older' | 'none';

/** How a server responds to `server/discover`. */
type Respond = (response: ServerResponse, id: unknown, revision: unknown) => unknown;

const result =
  (said: object): Respond =>
  (response, id) =>
    sendJson(response, { id, result: said });

const error =
  (status: number, code: number, data?: object): Respond =>
  (response, id) =>
    sendJson(response, { id, error: { code, message: 'no', data } }, status);

const plain =
  (status: number, body = '', type = 'text/plain'): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': type, location: '/login' }).end(body);

type Case = readonly [came: string, respond: Respond, verdict: Verdict];

const cases: readonly Case[] = [
  ['our newest revision', result({ supportedVersions: ['2031-01-01', '2026-07-28'] }), 'newer'],
  ['no revision, as of a server that echoes', result({}), 'older'],
  ['no revision of ours', result({ supportedVersions: ['2031-01-01'] }), 'none'],
  ['-32022, and our revision', error(400, -32022, { supported: ['2026-07-28'] }), 'newer'],
  ['-32022, and no revision of ours', error(400, -32022, { supported: ['2031-01-01'] }), 'none'],
  ['-32022, and no revision', error(400, -32022), 'none'],
  ['-32022 until another revision of ours is named', otherRevision, 'newer'],
  ['-32021', error(400, -32021, { requiredCapabilities: { roots: {} } }), 'newer'],
  ['-32021 as a success', error(200, -32021), 'newer'],
  ['-32020', error(400, -32020), 'newer'],
  ['-32601', error(404, -32601), 'older'],
  ['-32601 as a success', error(200, -32601), 'older'],
  ['-32000, as without a session', error(400, -32000), 'older'],
  ['-32600', error(400, -32600), 'older'],
  ['-32001', error(404, -32001), 'older'],
  ['405', plain(405, 'POST is not for that'), 'older'],
  ['400 without a word', plain(400), 'older'],
  ['a redirect', plain(302), 'older'],
  ['a page', plain(200, '<html>', 'text/html'), 'older'],
  ['202', plain(202), 'older'],
  ['JSON that is no message', plain(200, '{"ok":true}', 'application/json'), 'older'],
  ['the response of another request', responseOfAnother, 'older'],
  ['a stream without a response', plain(200, ': nothing\n\n', 'text/event-stream'), 'older'],
  ['403', plain(403), 'none'],
  ['429', plain(429), 'none'],
  ['503', plain(503), 'none'],
  ['a connection that closes', (response) => response.destroy(), 'none'],
];

function otherRevision(response: ServerResponse, id: unknown, revision: unknown): void {
  const supported = ['2025-11-25'];
  const respond =
    revision === '2025-11-25' ? result({ supportedVersions: supported }) : error(400, -32022, { supported });
  respond(response, id, revision);
}

function responseOfAnother(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(event({ jsonrpc: '2.0', id: 'another', result: { supportedVersions: ['2026-07-28'] } }));
}

/** A server that serves `tools/list` in each era. */
function serverThat(respond: Respond, takesInitialize: boolean): Promise<ScriptedServer> {
  return scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    if (method === 'server/discover') respond(response, id, metaIn(seen)[protocolVersion]);
    else if (method === 'initialize' && !takesInitialize) error(400, -32000)(response, id, '');
    else if (method === 'tools/list') result({ resultType: 'complete', tools: [] })(response, id, '');
    else usual(seen, response);
  });
}

function spoken(server: ScriptedServer): Verdict {
  const methods = methodsOf(server);
  if (methods.includes('initialize')) return 'older';
  return methods.includes('tools/list') ? 'newer' : 'none';
}

test('[Q-1.4][Q-1.6][Q-1.7][Q-1.8] call and bridge take a server to be of the same era, whatever comes of server/discover', async () => {
  for (const one of cases) await Promise.all([called(one), passed(one), translated(one)]);
});

async function called([came, respond, verdict]: Case): Promise<void> {
  await using home = await bareHome();
  await using server = await serverThat(respond, true);
  const { code, stderr } = await runHere(home, ['call', server.url]);
  assert.deepEqual([spoken(server), code === 0], [verdict, verdict !== 'none'], `call, ${came}: ${stderr}`);
}

/** A host of the newer era has the server's own words, or the error that sends it to `initialize`. */
async function passed([came, respond, verdict]: Case): Promise<void> {
  await using home = await bareHome();
  await using server = await serverThat(respond, true);
  await using host = startBridge(home, server.url);
  const about = await host.ask({ id: 1, method: 'server/discover', params: { _meta: meta() } });
  assert.equal(eraIn(about), verdict, `bridge, ${came}: ${JSON.stringify(about)}`);
  assert.deepEqual(methodsOf(server), ['server/discover'], came);
  assert.ok('result' in (await open(host)), `bridge, initialize after all, ${came}`);
}

/** What a host makes of the response to `server/discover`, which names revisions or is an error. */
function eraIn({ result, error }: Rpc): Verdict {
  const revisions = [result?.['supportedVersions'] ?? error?.data?.['supported'] ?? []].flat();
  const code = error?.code ?? 0;
  if (revisions.some((one) => one === '2026-07-28' || one === '2025-11-25')) return 'newer';
  if (code === -32020 || code === -32021) return 'newer';
  return code === -32022 || code === -31012 || revisions.length > 0 ? 'none' : 'older';
}

/** A host of the older era, whose `initialize` is refused. */
async function translated([came, respond, verdict]: Case): Promise<void> {
  await using home = await bareHome();
  await using server = await serverThat(respond, false);
  await using host = startBridge(home, server.url);
  const opened = await open(host);
  assert.equal('result' in opened, verdict === 'newer', `bridge, initialize refused, ${came}`);
  if (verdict !== 'newer') return;
  assert.ok('result' in (await host.ask({ id: 1, method: 'tools/list' })), `bridge, translated, ${came}`);
}

test('[Q-1.12] a host is told that there may be tools where the server shows no more than its era', async () => {
  await using server = await serverThat(error(400, -32021), false);
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  assert.deepEqual((await open(host)).result?.['capabilities'], { tools: {}, prompts: {}, resources: {} });
});
