import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { valueIn } from '../../src/setup/formats/entry.js';
import { walkLogin } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';
import { type Person, startPerson } from './person.js';
import { isMissing } from './windows.js';

const skip = isMissing();
const started = skip === false ? await startPerson() : undefined;
const sandbox = skip === false ? await startSandbox() : undefined;
after(async () => {
  await sandbox?.close();
  await started?.[Symbol.asyncDispose]();
});

function person(): Person {
  assert.ok(started);
  return started;
}

async function run(...args: string[]) {
  return await person().run(args);
}

/** A file below the person's home. */
function at(path: string): string {
  return person().windows.here(`${person().home}\\${path}`);
}

function put(path: string, text: string): void {
  mkdirSync(at(path.replace(/\\?[^\\]*$/, '')), { recursive: true });
  writeFileSync(at(path), text);
}

before(async () => {
  if (skip !== false) return;
  await using login = person().postern('login', sandbox?.serverUrl ?? '', '--no-browser', '--name', 'work');
  login.end();
  const [url] = await login.waitFor('stderr', /\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/);
  await walkLogin(url);
  assert.equal((await login.finished).code, 0);
});

/** Files as editors leave them there: CRLF, tabs, comments. */
const files = [
  ['claude', '.claude.json', '{\r\n\t"numStartups": 1\r\n}\r\n'],
  ['cursor', '.cursor\\mcp.json', '{\r\n  "mcpServers": {}\r\n}'],
  ['vscode', 'AppData\\Roaming\\Code\\User\\mcp.json', '{\r\n\t// mine\r\n\t"servers": {\r\n\t}\r\n}\r\n'],
  ['claude-desktop', 'AppData\\Roaming\\Claude\\claude_desktop_config.json', '{\r\n  "theme": "dark"\r\n}\r\n'],
  ['zed', 'AppData\\Roaming\\Zed\\settings.json', '// Zed\r\n{\r\n  "vim_mode": true,\r\n}\r\n'],
  ['codex', '.codex\\config.toml', 'model = "o"\r\n\r\n[tui]\r\nnotifications = true\r\n'],
] as const;

for (const [program, path, before] of files) {
  test(`setup ${program}: the file keeps its line ends, and is as before after --undo`, { skip }, async () => {
    put(path, before);
    const written = await run('setup', program, 'work', '--write');
    assert.equal(written.code, 0, written.stderr);
    const text = readFileSync(at(path), 'utf8');
    assert.notEqual(text, before);
    assert.doesNotMatch(text, /(?<!\r)\n/, 'each line ends as those of before');
    const again = await run('setup', program, 'work', '--write', '--json');
    assert.equal(JSON.parse(again.stdout).outcome, 'unchanged', again.stderr);
    const undone = await run('setup', program, '--undo');
    assert.equal(undone.code, 0, undone.stderr);
    assert.equal(readFileSync(at(path), 'utf8'), before);
  });
}

test('setup claude: what stands in the entry is started by cmd.exe, and gives the token', { skip }, async () => {
  put('.claude.json', '{}');
  assert.equal((await run('setup', 'claude', 'work', '--as', 'notes', '--write')).code, 0);
  const line = String(
    valueIn('json', readFileSync(at('.claude.json'), 'utf8'), ['mcpServers', 'notes', 'headersHelper']),
  );
  writeFileSync(at('entry.cmd'), Buffer.from(`@chcp 65001 >nul\r\n@${line}\r\n`));
  const checked = await run('setup', 'claude', 'work', '--as', 'notes', '--check');
  assert.equal(checked.code, 0, `${checked.stdout}${checked.stderr}\n${line}`);
  assert.equal((await run('setup', 'claude', '--undo')).code, 0);
});

test('setup cursor: the entry starts the bridge', { skip }, async () => {
  put('.cursor\\mcp.json', '{}');
  assert.equal((await run('setup', 'cursor', 'work', '--as', 'notes', '--write')).code, 0);
  const { command, args } = valueIn('json', readFileSync(at('.cursor\\mcp.json'), 'utf8'), ['mcpServers', 'notes']) as {
    command: string;
    args: readonly string[];
  };
  await using bridge = person().start(command, ...args);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'h', version: '1' } };
  bridge.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await bridge.waitFor('stdout', /"id":1.*\n/);
  bridge.end();
  assert.equal((await bridge.finished).code, 0);
  const checked = await run('setup', 'cursor', 'work', '--as', 'notes', '--check');
  assert.equal(checked.code, 0, `${checked.stdout}${checked.stderr}`);
});

test('config: set, get, path and edit, with an editor that is a batch file', { skip }, async () => {
  const file = `${person().home}\\AppData\\Roaming\\postern\\config.json`;
  assert.equal((await run('config', 'path')).stdout, `${file}\n`);
  put('AppData\\Roaming\\postern\\config.json', '{\r\n  "storeSeconds": 7\r\n}\r\n');
  const set = await run('config', 'set', 'timeoutSeconds', '60');
  assert.equal(set.code, 0, set.stderr);
  assert.equal((await run('config', 'get', 'timeoutSeconds')).stdout, '60\n');
  put('ed it\\edit.cmd', '@node "%~dp0\\edit.js" %*\r\n');
  const script = `const [file] = process.argv.slice(-1); fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('60', '90'))`;
  put('ed it\\edit.js', `const fs = require('node:fs'); ${script}`);
  const edited = await person()
    .with({ EDITOR: `"${person().home}\\ed it\\edit.cmd" -w` })
    .run(['config', 'edit']);
  assert.equal(edited.code, 0, edited.stderr);
  assert.equal((await run('config', 'get', 'timeoutSeconds')).stdout, '90\n');
});

test('a configuration that Notepad or PowerShell has saved with a byte order mark is read', { skip }, async () => {
  put('AppData\\Roaming\\postern\\config.json', '\ufeff{\r\n  "storeSeconds": 9\r\n}\r\n');
  const { code, stdout, stderr } = await run('config', 'get', 'storeSeconds');
  assert.deepEqual([code, stdout], [0, '9\n'], stderr);
});

test('a failure shows paths as they are, and commands that these shells know', { skip }, async () => {
  const index = at('AppData\\Local\\postern\\logins.json');
  const before = readFileSync(index);
  put('AppData\\Local\\postern\\logins.json', '{ this is no JSON');
  const { code, stderr } = await run('status');
  assert.equal(code, 7, stderr);
  assert.match(stderr, /move it away \(move "C:\\users\\[^\\"]+\\AppData\\Local\\postern\\logins\.json" "C:\\/);
  assert.doesNotMatch(stderr, /\bls -ld|\bmv /);
  writeFileSync(index, before);
  const url = await run('login', 'https://h.example/mcp?a=1&b=2', '--no-such');
  assert.doesNotMatch(url.stderr, /'https:/);
});

test('uninstall: what setup has written goes, and so does what was kept', { skip }, async () => {
  const state = at('AppData\\Local\\postern');
  assert.ok(existsSync(state));
  const { code, stdout, stderr } = await run('uninstall', '--yes');
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(`${stdout}${stderr}`, /EPERM|EBUSY/);
  assert.equal(existsSync(state), false, `${stdout}${stderr}`);
});
