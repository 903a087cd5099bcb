import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedServer, usual } from '../bridge/host.js';
import { makeHome } from '../support/home.js';
import { type HereOptions, runHere, startHere } from '../support/in-process.js';
import { openMachine } from '../support/machine.js';
import { createMemoryStore } from '../support/product.js';

/** What a terminal would obey, an eye misread, or a log take for a line of its own. */
const hostile =
  'a\u001b[2Jb\u001b]52;c;eA==\u0007\u001b]8;;https://evil.example\u001b\\x\u009d8;;\u009c\u001bP$q\u001b\\\rDenied\rApproved\b\b\u000b' +
  '\u202e\u2066\u200b\ufeff\u{e0041}\u3164\u2028c\u0301\u0301\u0301\u0301\u0301" and then: b\\ Enter your password:';

const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{4}/u;

function assertHarmless(text: string): void {
  for (const line of text.split(/\r?\n/)) assert.doesNotMatch(line, harmful, JSON.stringify(line));
}

/** A server all of whose words are hostile. */
const swindler = () =>
  scriptedServer((seen, response) => {
    const { id, method, params } = seen.message;
    const send = (answer: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-odd': 'a\u009b2Jb' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    const tool = {
      name: hostile,
      description: hostile,
      inputSchema: { properties: { [hostile]: { enum: [hostile] } } },
    };
    if (method === 'tools/list') send({ result: { tools: [{ name: 'say' }, tool] } });
    else if (method === 'resources/list') send({ result: { resources: [{ uri: hostile, name: hostile }] } });
    else if (method === 'prompts/list')
      send({ result: { prompts: [{ name: hostile, arguments: [{ name: hostile }] }] } });
    else if (method === 'tools/call' && params?.['name'] === 'say') {
      send({ result: { content: [{ type: 'text', text: `${hostile}\n2026-11-20 INFO login ok` }] } });
    } else if (method === 'tools/call') send({ error: { code: -32000, message: hostile, data: hostile } });
    else usual(seen, response);
  });

test('[A-243][A-244][A-245][A-246][A-247][A-248] what a server lists and says reaches a terminal as text alone, whole and in lines of its own', async () => {
  await using server = await swindler();
  await using home = await makeHome({ NO_COLOR: '1' });
  const look: HereOptions = { columns: 0, stdout: 'terminal' };
  for (const words of [
    [],
    ['-l'],
    ['resources/list'],
    ['prompts/list'],
    ['say'],
    ['tools/call', 'name=other'],
    ['say', '-v'],
  ]) {
    await using running = startHere(home, ['call', server.url, ...words, '--non-interactive'], look);
    const { stdout } = await running.finished;
    assert.match(stdout.replaceAll(/\s/g, ''), /a\\x1b\[2Jb/, words.join(' '));
    // Tabs of a result are its own; so are ends of lines.
    assertHarmless(stdout);
  }
  const piped = await runHere(home, ['call', server.url, 'say']);
  assert.equal(piped.stdout, `${hostile}\n2026-11-20 INFO login ok\n`, 'in a pipe it is as it came');
});

test('[A-249][A-250][A-251] a failure says what happened with the server’s words quoted, then what to do, and its code in the last line; --json is one line of ASCII', async () => {
  await using server = await swindler();
  await using home = await makeHome();
  const ask = (...more: readonly string[]) => runHere(home, ['call', server.url, 'tools/call', 'name=other', ...more]);
  const { code, stdout, stderr } = await ask();
  assert.deepEqual([code, stdout], [8, '']);
  assertHarmless(stderr);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^postern: .*"a\\x1b\[2Jb.*\\" and then: b\\\\ Enter your password:"/);
  assert.match(lines.at(-1) ?? '', /^ {9}\[call_failed, exit 8\]$/);
  assert.ok(lines.length > 2 && lines.slice(1).every((line) => line.startsWith('         ')), stderr);
  const json = await ask('--json');
  assert.match(json.stderr, /^[\x20-\x7e]+\n$/);
  const { error } = JSON.parse(json.stderr);
  assert.deepEqual(Object.keys(error), ['code', 'message', 'remedy', 'exit', 'steps']);
  assert.doesNotMatch(error.message, harmful);
});

test('[A-251] what is no failure of ours is a fault: exit 1, its text and stack only with --verbose, and nothing that hangs on it', async () => {
  const fault = Object.assign(new TypeError('canary-1 \u001b[2J', { cause: new Error('canary-2') }), {
    input: 'https://a.example/?code=canary-3',
  });
  const store = { ...createMemoryStore(), kind: 'keychain' as const, read: () => Promise.reject(fault) };
  await using machine = await openMachine({ world: { own: { store } } });
  const server = 'https://a.example/mcp';
  await machine.keep({ server, accessToken: 'a', expiresAt: Date.now() + 3_600_000 });
  const { code, stderr } = await machine.run(['token', server]);
  assert.equal(code, 1);
  assert.match(stderr, /fault of postern itself \(TypeError\)/);
  assert.doesNotMatch(stderr, /canary|at .*\.js/);
  const verbose = await machine.run(['token', server, '--verbose']);
  assert.match(verbose.stderr, /canary-1 \\x1b\[2J[\s\S]*hostile-text\.test/);
  assert.doesNotMatch(verbose.stderr, /canary-3/);
});
