import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStage } from '../e2e/stage.js';
import { logIn } from '../endurance/expiry.js';
import { needs, needsPackages } from '../support/needs.js';
import { type Running, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';

const folder = join(repositoryRoot, 'test', 'clients');
const packages = join(folder, 'node_modules');
const isMissing = needsPackages('clients');

const callsEcho = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'];

test('real programs through postern proxy: they are given its URL and know of no login', {
  skip: isMissing || needs('gnome-keyring', 'secret-tool', 'curl'),
}, async (t) => {
  await using stage = await openStage();
  await logIn(stage);
  await using proxy: Running = stage.start('proxy', stage.sandbox.serverUrl, '--non-interactive');
  const [url] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
  const run = async (command: string, ...args: readonly string[]) => {
    await using program = startCommand(command, args, stage.home);
    program.stdin.end();
    const { code, stdout, stderr } = await program.finished;
    assert.equal(code, 0, `${stdout}\n${stderr}\n${proxy.stderr}`);
    return stdout;
  };
  const sdks = [
    ['the official SDK’s client, version 1', 'sdk-v1.mjs'],
    ['the official SDK’s client, version 2, on the wire with sessions', 'sdk-v2.mjs', 'legacy'],
    ['the official SDK’s client, version 2, on the newest wire', 'sdk-v2.mjs', 'auto'],
  ] as const;
  for (const [title, script, ...words] of sdks) {
    await t.test(title, async () => {
      const saw = JSON.parse(await run(process.execPath, join(folder, script), ...words, url));
      assert.ok(saw.tools.includes('whoami'));
      assert.deepEqual(saw.echo.content, [{ type: 'text', text: 'grüße\ngrüße' }]);
      assert.deepEqual(saw.came, [1, 2, 3]);
      assert.deepEqual(saw.steps, [1, 2, 3].slice(0, saw.steps.length));
      assert.deepEqual(saw.confirm.content, [{ type: 'text', text: 'Confirmed.' }]);
    });
  }
  await t.test('MCP Inspector’s command line', async () => {
    const inspector = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const said = await run(process.execPath, inspector, '--cli', url, '--transport', 'http', ...callsEcho);
    assert.match(said, /"text": "hello"/);
  });
  await t.test('mcporter', async () => {
    const mcporter = join(packages, 'mcporter', 'dist', 'cli.js');
    const where = ['call', '--http-url', url, '--allow-http', '--name', 'sandbox', '--output', 'json'];
    assert.match(
      await run(process.execPath, mcporter, ...where, '--tool', 'echo', '--args', '{"text":"hello"}'),
      /hello/,
    );
  });
  await t.test('curl', async () => {
    const initialize =
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}';
    const accept = ['-H', 'content-type: application/json', '-H', 'accept: application/json, text/event-stream'];
    assert.match(await run('curl', '-sS', '--fail', ...accept, '-d', initialize, url), /postern-sandbox/);
  });
});
