import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareHome, event, scriptedServer, usual } from '../../bridge/host.js';
import { runHere } from '../../support/in-process.js';
import { assertMode } from '../../support/modes.js';

const png = Buffer.from('\x89PNG and more of it', 'latin1');
const data = png.toString('base64');

const contents: Readonly<Record<string, readonly unknown[]>> = {
  text: [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ],
  mixed: [
    { type: 'text', text: 'Here it is:' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///etc/../../x/notes.sh', mimeType: 'text/plain', text: 'hello' } },
    { type: 'audio', data: 'no base64!', mimeType: 'audio/wav' },
    { type: 'image', data, mimeType: 'image/png' },
  ],
};

/** Its results stand as they are, odd spelling and all. */
const spelled = '{ "content": [ {"type":"text","text":"\\u0061"} ], "n": 1.50 }';

function serverWithContent() {
  return scriptedServer((seen, response) => {
    const { id, method, params } = seen.message;
    if (method === 'tools/list') {
      const isLast = params?.['cursor'] === 'more';
      const result = `{ "tools" : [${isLast ? '{"name":"b"}' : '{"name":"a"}'}]${isLast ? '' : ', "nextCursor": "more"'} }`;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    } else if (method === 'resources/read') {
      const result = { contents: [{ uri: 'note://1', text: 'hello' }] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else if (method !== 'tools/call') {
      usual(seen, response);
    } else if (params?.['name'] === 'spelled') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        `${event({ jsonrpc: '2.0', method: 'notifications/x' })}data: {"jsonrpc":"2.0","result":${spelled},"id":${id}}\n\n`,
      );
    } else {
      const result = { content: contents[String(params?.['name'])] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
  });
}

test('text is printed as text, anything else as JSON into a pipe; --output says otherwise', async () => {
  await using server = await serverWithContent();
  await using home = await bareHome();
  const call = async (...words: readonly string[]) => (await runHere(home, ['call', server.url, ...words])).stdout;
  assert.equal(await call('text', 'x:=1'), 'a\nb\n');
  assert.equal(await call('resources/read', 'note://1'), 'hello\n');
  assert.deepEqual(JSON.parse(await call('mixed', 'x:=1')), { content: contents['mixed'] });
  assert.equal(await call('text', 'x:=1', '--output', 'json'), await call('text', 'x:=1', '--json'));
  assert.equal(await call('text', 'x:=1', '--output', 'text', '--json'), 'a\nb\n');
  assert.equal(await call('spelled', 'x:=1', '--output', 'raw'), `${spelled}\n`);
  assert.equal(
    await call('--output', 'raw'),
    '{ "tools" : [{"name":"a"}], "nextCursor": "more" }\n{ "tools" : [{"name":"b"}] }\n',
  );
  assert.match(await call('initialize', '--output', 'raw'), /^\{"protocolVersion"/);
});

test('--save puts images and resources into new files of this user’s alone, under names of ours', async () => {
  await using server = await serverWithContent();
  await using home = await bareHome();
  const folder = join(home.path, 'out', 'deep');
  const call = (...words: readonly string[]) =>
    runHere(home, ['call', server.url, 'mixed', 'x:=1', '--save', folder, ...words]);
  const first = await call();
  assert.deepEqual(first.stdout.trimEnd().split('\n'), [
    'Here it is:',
    `${folder}/image.png`,
    `${folder}/notes.txt`,
    '[audio/wav: the server sent no valid base64]',
    `${folder}/image-2.png`,
  ]);
  assert.deepEqual(await readFile(join(folder, 'image-2.png')), png);
  assert.equal(await readFile(join(folder, 'notes.txt'), 'utf8'), 'hello');
  assertMode((await stat(join(folder, 'image.png'))).mode, 0o600);
  await writeFile(join(folder, 'image.png'), 'mine');
  await symlink('/nowhere', join(folder, 'notes-2.txt'));
  const second = await call('--json');
  assert.deepEqual(JSON.parse(second.stdout), { content: contents['mixed'] });
  assert.deepEqual(
    second.stderr.trimEnd().split('\n'),
    ['image-3.png', 'notes-3.txt', 'image-4.png'].map((name) => `Saved ${folder}/${name}`),
  );
  assert.equal(await readFile(join(folder, 'image.png'), 'utf8'), 'mine', 'what was there is left as it is');
  assert.equal((await readdir(folder)).length, 7);
});

test('a folder that cannot be written to is said, and nothing is lost of what was printed', async () => {
  await using server = await serverWithContent();
  await using home = await bareHome();
  const file = join(home.path, 'file');
  await mkdir(join(home.path, 'x'));
  await writeFile(file, '');
  const { code, stdout, stderr } = await runHere(home, ['call', server.url, 'mixed', 'x:=1', '--save', file]);
  assert.equal(stdout, 'Here it is:\n');
  assert.notEqual(code, 0);
  assert.match(stderr, /file_unwritable/);
});

test('a person reads what else there is, and how to get it', async () => {
  await using server = await serverWithContent();
  await using home = await bareHome();
  const { stdout } = await runHere(home, ['call', server.url, 'mixed', 'x:=1'], '', { columns: 80 });
  assert.match(stdout, /Here it is:\r?\n\[image\/png.*--save DIR\]\r?\nhello\r?\n\[audio\/wav\b/);
});
