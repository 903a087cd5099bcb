import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newerEraFaults } from '../../../src/sandbox/faults/newer-era.js';
import type { Sandbox } from '../../../src/sandbox/start.js';
import { callTool, listTools } from '../../support/flows/calls.js';
import { openScene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { tokenOf } from '../client.js';
import { messagesOf, post } from '../protected-server/session.js';
import { proveFaults } from './observe.js';

interface Seen {
  readonly status: number;
  readonly text: string;
}

type Look = Readonly<Record<'discovered' | 'listed' | 'called' | 'again' | 'followed', Seen>>;

/** A request of the newer era as it is answered; of a stream its first message. */
async function ask({ serverUrl }: Sandbox, token: string, method: string, params: object = {}): Promise<Seen> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'whoami' };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  const response = await post(serverUrl, token, body, headers);
  for await (const { message } of messagesOf(response)) {
    return { status: response.status, text: JSON.stringify(message) };
  }
  return { status: response.status, text: '' };
}

proveFaults<Look>(
  newerEraFaults(),
  async (sandbox, arm) => {
    const token = await tokenOf(sandbox);
    arm();
    const whoami = { name: 'whoami', arguments: {} };
    return {
      discovered: await ask(sandbox, token, 'server/discover'),
      listed: await ask(sandbox, token, 'tools/list'),
      called: await ask(sandbox, token, 'tools/call', whoami),
      again: await ask(sandbox, token, 'tools/call', whoami),
      followed: await ask(sandbox, token, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    };
  },
  {
    'newer-echoes-discover': ({ discovered }) => discovered.text.includes('"result":{}'),
    'newer-no-common-revision': ({ listed }) => listed.status === 400 && listed.text.includes('2031-01-01'),
    'newer-refuses-its-own': ({ called }) => called.status === 400 && called.text.includes('-32022'),
    'newer-odd-result-type': ({ called }) => called.text.includes('"resultType":"maybe"'),
    'newer-no-result-type': ({ called }) => called.text.includes('alice') && !called.text.includes('resultType'),
    'newer-asks-forever': ({ again }) => again.text.includes('"requestState":"again"'),
    'newer-asks-nothing': ({ called }) => called.text.includes('{"resultType":"input_required"}'),
    'newer-asks-unoffered': ({ called }) => called.text.includes('sampling/createMessage'),
    'newer-asks-for-list': ({ listed }) => listed.text.includes('input_required'),
    'newer-broken-marks': ({ listed }) => listed.text.includes('Not a token'),
    'newer-header-mismatch-once': ({ called, again }) => called.text.includes('-32020') && again.status === 200,
    'newer-header-mismatch-always': ({ again }) => again.status === 400 && again.text.includes('-32020'),
    'newer-method-missing': ({ called }) => called.status === 404 && called.text.includes('-32601'),
    'newer-capability-missing': ({ called }) => called.status === 400 && called.text.includes('-32021'),
    'newer-acknowledges-less': ({ followed }) => followed.text.includes('"notifications":{}'),
  },
);

/** What `call` fails with: its code, its exit code, and what of the server it names. */
const refused: Readonly<Record<string, readonly [code: string, exit: number, named: string]>> = {
  'newer-no-common-revision': ['revision_unknown', 5, '2031-01-01'],
  'newer-refuses-its-own': ['call_failed', 8, 'Unsupported protocol version'],
  'newer-odd-result-type': ['protocol_broken', 5, '"maybe"'],
  'newer-asks-forever': ['protocol_broken', 5, '11'],
  'newer-asks-nothing': ['protocol_broken', 5, ''],
  'newer-asks-unoffered': ['protocol_broken', 5, 'sampling/createMessage'],
  'newer-header-mismatch-always': ['call_failed', 8, 'Header mismatch'],
  'newer-method-missing': ['call_failed', 8, 'Method not found'],
  'newer-capability-missing': ['call_failed', 8, 'Missing client capability'],
};

test('[Q-1.4][Q-3.1][Q-4.1] a call at a server of the newer era that breaks its rules fails, and says how', async () => {
  await using scene = await openScene({ eras: 'newer' });
  const login = await scene.login();
  for (const [fault, [code, exit, named]] of Object.entries(refused)) {
    scene.sandbox.setFaults([fault]);
    const failure = await failureOf(callTool(scene, login, 'whoami'), code);
    assert.equal(failure.exit, exit, fault);
    assert.ok(failure.message.includes(named), `${fault}: ${failure.message}`);
    assert.ok(failure.remedy.length > 10, failure.remedy);
  }
});

test('[Q-3.1][Q-2.10] results without a type, and a header that is missed once, are taken', async () => {
  await using scene = await openScene({ eras: 'newer' });
  const login = await scene.login();
  for (const fault of ['newer-no-result-type', 'newer-header-mismatch-once']) {
    scene.sandbox.setFaults([fault]);
    const result = await callTool(scene, login, 'whoami');
    assert.match(JSON.stringify(result), /alice/, fault);
  }
});

test('[Q-1.8] a server of both eras that only echoes what it is asked is called in the older one', async () => {
  await using scene = await openScene({ faults: ['newer-echoes-discover'] });
  assert.match(JSON.stringify(await callTool(scene, await scene.login(), 'whoami')), /alice/);
});

test('[Q-2.9][Q-4.1] lists: a tool with broken marks is left out and named, a list that asks breaks the protocol', async () => {
  await using scene = await openScene({ faults: ['newer-broken-marks'], eras: 'newer' });
  const login = await scene.login();
  assert.doesNotMatch(JSON.stringify(await listTools(scene, login)), /"broken"/);
  assert.ok(
    scene.ports.told.some((line) => line.includes('"broken"')),
    scene.ports.told.join('\n'),
  );
  scene.sandbox.setFaults(['newer-asks-for-list']);
  const failure = await failureOf(listTools(scene, login), 'protocol_broken');
  assert.match(failure.message, /"input_required".*tools\/list/);
});
