import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { configure, makeHome } from '../support/home.js';
import { answersTo, eventStream, inCrumbs, inOnePiece, MiB, stray } from '../support/hostile-server.js';
import { measuredRun } from '../support/peak-memory.js';
import { programCommand, runProgram } from '../support/program.js';

const size = 31 * MiB;
const answer = (id: unknown, text: string): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"text":${text}}}`);
const framed = (body: Buffer) => eventStream(`data: ${body.toString('latin1')}\n\n`, 1);

/** More than a small answer takes: five times the largest message. In MiB. */
const most = 5 * 32;

/** Answers of the largest size: the text beside them took each beyond. */
const texts: Readonly<Record<string, () => string>> = {
  plain: () => `"${'x'.repeat(size)}"`,
  'one wide character': () => `"€${'x'.repeat(size)}"`,
  'wide characters': () => `"${'é'.repeat(size / 2)}"`,
  escapes: () => `"${'\\n'.repeat(size / 2)}"`,
  'half a character': () => `"\\ud800${'x'.repeat(size)}"`,
  'empty objects': () => `[${'{},'.repeat(990_000)}0]`,
};

/** Answers that are no larger, and that would take more than that. */
const refused: Readonly<Record<string, () => string>> = {
  'many strings': () => `[${`"${'x'.repeat(29)}",`.repeat(990_000)}0]`,
  'strings of wide characters': () => `[${`"€${'x'.repeat(200)}",`.repeat(150_000)}0]`,
  'strings with half a character': () => `[${`"\\ud800${'x'.repeat(500_000)}",`.repeat(60)}0]`,
  names: () => `[${Array.from({ length: 240_000 }, (_, at) => `{"n${at}${'x'.repeat(100)}":0}`)}]`,
  'one name': () => `{"\\ud800${'x'.repeat(size)}":0}`,
};

test('the largest answer takes five times its limit at most, its output with it [A-257]', async () => {
  await using server = await answersTo('tools/call', ({ id, params }) => {
    const [framing = '', name = ''] = (params?.name ?? '').split(':');
    const body = answer(id, (texts[name] ?? refused[name])?.() ?? '"x"');
    return framing === 'event' ? framed(body) : inOnePiece(body);
  });
  await using home = await makeHome();
  const command = (name: string) => programCommand(['call', server.url, name, '--json']);
  const idle = (await measuredRun(home, command('json:small'))).peak;
  for (const name of Object.keys(texts)) {
    for (const framing of name.includes('character') || name === 'plain' ? ['json', 'event'] : ['json']) {
      const run = () => measuredRun(home, command(`${framing}:${name}`));
      const { code, peak: first, printed } = await run();
      // When the collector runs is chance; what is held is there each time.
      const peak = first - idle < most ? first : Math.min(first, (await run()).peak);
      assert.equal(code, 0, name);
      assert.ok(printed > MiB, `${printed} bytes`);
      assert.ok(peak - idle < most, `${framing}, ${name}: ${peak - idle} MiB more`);
    }
  }
  for (const name of Object.keys(refused)) {
    const { code, peak } = await measuredRun(home, command(`json:${name}`));
    assert.equal(code, 5, name);
    assert.ok(peak - idle < most, `${name}: ${peak - idle} MiB more`);
  }
});

test('a message that would take too much memory is called that, and not something else [A-257]', async () => {
  await using server = await answersTo('tools/call', ({ id }) =>
    inOnePiece(answer(id, refused['many strings']?.() ?? '')),
  );
  await using home = await makeHome();
  const { code, stderr } = await runProgram(home, ['call', server.url, 'x']);
  assert.equal(code, 5, stderr);
  assert.match(stderr, /a message of so many values and names that it would take too much memory.*too_large, exit 5/s);
});

test('of events and lines that are next to nothing so many are read as a call’s limit has room for, each counted for what it costs [A-257]', async () => {
  const kinds: Readonly<Record<string, string>> = {
    answers: stray,
    comments: ':\n',
    'empty data': 'data:\n\n',
    identifiers: 'id:1\n\n',
  };
  await using server = await answersTo('tools/call', ({ params }) => {
    const kind = kinds[params?.name ?? ''] ?? '';
    return eventStream(kind, (16 * MiB) / kind.length, '', 1_000);
  });
  await using home = await makeHome();
  await configure(home, { callMiB: 16 });
  for (const [name, kind] of Object.entries(kinds)) {
    const before = server.written;
    const { code, stderr } = await runProgram(home, ['call', server.url, name, '--timeout', '60']);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /16 MiB in one call, as each line and event counts[\s\S]*too_large/);
    const taken = server.written - before;
    // What lies in the buffers of the connection, at both its ends, is taken by nobody.
    assert.ok(taken < 8 * MiB, `${name}: ${taken} bytes, ${taken / kind.length} times`);
  }
});

test('whoever waits for a body in chunks of one byte is told once, and not with each of them [A-257]', async () => {
  await using server = await answersTo('tools/call', ({ id }) => inCrumbs(answer(id, `"${'x'.repeat(MiB / 4)}"`)));
  await using home = await makeHome();
  const [hook, figure] = [join(home.path, 'hook.cjs'), join(home.path, 'resolved-again')];
  await writeFile(
    hook,
    `let again = 0;
    process.on('multipleResolves', () => { again += 1; });
    process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(figure)}, String(again)));`,
  );
  const env = { ...home.env, NODE_OPTIONS: `--require=${hook}` };
  const { code, stderr } = await runProgram({ ...home, env }, ['call', server.url, 'x']);
  assert.equal(code, 0, stderr);
  const again = Number(await readFile(figure, 'utf8'));
  assert.ok(again < 1_000, `${again} times`); // one for each byte and more, else
});
