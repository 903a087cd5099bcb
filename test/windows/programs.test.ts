import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
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

/** Writes a script of Node.js, and a batch file that starts it, as npm does, into a folder of the PATH. */
function install(name: string, script: string): void {
  const { windows, home } = person();
  const npm = `${home}\\AppData\\Roaming\\npm`;
  writeFileSync(windows.here(`${npm}\\${name}.js`), script);
  writeFileSync(windows.here(`${npm}\\${name}.cmd`), `@ECHO off\r\nnode "%~dp0\\${name}.js" %*\r\n`);
}

before(async () => {
  if (skip !== false) return;
  const server = sandbox?.serverUrl ?? '';
  await using login = person().postern('login', server, '--no-browser', '--name', 'work');
  login.end();
  const [url] = await login.waitFor('stderr', /\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/);
  await walkLogin(url);
  assert.equal((await login.finished).code, 0);
  install('show', 'console.log(JSON.stringify([process.argv.slice(2), process.env.POSTERN_ACCESS_TOKEN]))');
  install('leave', 'process.exit(Number(process.argv[2]))');
});

async function run(...args: string[]) {
  return await person().run(args);
}

test('exec starts a batch file by its name, with each argument as it is', { skip }, async () => {
  const { stdout: token } = await run('token', 'work');
  const words = ['plain', 'two words', 'a & echo pwned', 'say "hi"', 'C:\\a b\\', '^|<>', '', 'Zoë’s', '!x!'];
  // Not `%PATH%`: cmd.exe of wine 8 takes `%%cd:~,%` for something else (2026-11-23); test/stores/windows-command has it.
  const { code, stdout, stderr } = await run('exec', 'work', '--', 'show', ...words);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [words, token.trim()]);
  const whole = `${person().home}\\AppData\\Roaming\\npm\\show.cmd`;
  assert.deepEqual(JSON.parse((await run('exec', 'work', '--', whole, 'x')).stdout)[0], ['x']);
});

test('exec ends with the code of the command, batch file or not', { skip }, async () => {
  assert.equal((await run('exec', 'work', '--', 'leave', '7')).code, 7);
  assert.equal((await run('exec', 'work', '--', 'node', '-e', 'process.exit(9)')).code, 9);
});

test('exec says which program there is none of, and looks for none in the working folder', { skip }, async () => {
  writeFileSync(person().windows.here(`${person().home}\\lure.cmd`), '@echo lured\r\n');
  const { code, stdout, stderr } = await run('exec', 'work', '--', 'lure');
  assert.deepEqual([code, stdout], [2, ''], stderr);
  assert.match(stderr, /There is no program "lure" on the PATH/);
  const broken = await run('exec', 'work', '--', 'show', 'a\nb');
  assert.match(broken.stderr, /batch file[\s\S]*line break/);
});

const stdioServer = `
let rest = '';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    if (method === 'initialize') {
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } } });
    } else send({ id, result: { given: process.argv.slice(2), ours: Object.keys(process.env).filter((name) => /^POSTERN_/i.test(name)) } });
  }
});
`;

test('call starts a server that is a batch file, as npx is', { skip }, async () => {
  install('server', stdioServer);
  const { code, stdout, stderr } = await person()
    .with({ POSTERN_TIMEOUT: '60' })
    .run(['call', 'x/env', '--json', '--', 'server', '-y', 'a b']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { given: ['-y', 'a b'], ours: [] });
});

test('bridge: a host starts it, and speaks with the server', { skip }, async () => {
  await using bridge = person().postern('bridge', 'work');
  const say = (message: object) => bridge.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'host', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await bridge.waitFor('stdout', /"id":1.*\n/);
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } });
  assert.match((await bridge.waitFor('stdout', /.*"id":2.*\n/))[0], /alice/);
  bridge.end();
  assert.equal((await bridge.finished).code, 0);
});

test('credential: headers, and git’s request with the line ends of either system', { skip }, async () => {
  const { stdout: token } = await run('token', 'work');
  const bearer = `Bearer ${token.trim()}`;
  assert.deepEqual(JSON.parse((await run('credential', 'headers', 'work')).stdout), { Authorization: bearer });
  const { host } = new URL(sandbox?.serverUrl ?? '');
  for (const end of ['\n', '\r\n']) {
    const request = ['capability[]=authtype', 'protocol=http', `host=${host}`, 'path=mcp', '', ''].join(end);
    const { code, stdout, stderr } = await person().run(['credential', 'git', 'get'], request);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`credential=${token.trim()}`), JSON.stringify(end));
  }
  const env = await run('credential', 'env', 'work', '--var', 'A_TOKEN', '--shell', 'pwsh');
  assert.match(env.stdout, /^\$env:A_TOKEN ?= ?'eyJ/m);
});

test('a shim is a batch file that cmd.exe starts with nothing of an environment', { skip }, async () => {
  const me = person();
  const path = `${me.home}\\helper.cmd`;
  const { code, stderr } = await run('credential', 'headers', 'work', '--shim', path);
  assert.equal(code, 0, stderr);
  const cmd = 'C:\\windows\\system32\\cmd.exe';
  await using program = me.start(cmd, '/d', '/c', 'helper.cmd');
  program.end();
  const said = await program.finished;
  assert.match(
    said.stdout,
    /^\{"Authorization":"Bearer eyJ/,
    `${said.stdout}${said.stderr}${readFileSync(me.windows.here(path), 'utf8')}`,
  );
});

test('postern by its name, as npm installs it', { skip }, async () => {
  const cmd = 'C:\\windows\\system32\\cmd.exe';
  await using program = person().start(cmd, '/d', '/c', 'postern', 'status');
  program.end();
  assert.match((await program.finished).stdout, /work .*http/);
  assert.match((await run('exec', 'work', '--', 'postern', 'token', 'work')).stdout, /^eyJ/);
});

test('proxy: a key, a request through it, and its end with stdin', { skip }, async () => {
  await using proxy = person().postern('proxy', 'work', '--json', '--until-stdin-ends');
  const [line] = await proxy.waitFor('stdout', /^\{.*\}\n/).catch(async (error) => {
    throw new Error(`${error}\n${(await proxy.finished).stderr}`);
  });
  const { key, servers } = JSON.parse(line);
  const response = await fetch(servers[0].url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  assert.equal(response.status, 200, await response.text());
  proxy.end();
  assert.equal((await proxy.finished).code, 0);
});
