import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/arbitraries.js';
import { bareHome, type ScriptedServer, scriptedServer } from './host.js';
import { type RawHost, startRawHost } from './raw-host.js';

const space = fc.constantFrom('', '', ' ', '  ', '\t');
const character = fc.oneof(
  anyText({ minLength: 1, maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    '\\u0000',
    '\\ud83d',
    '\\udE00',
    '\\/',
    '\\u002F',
    'é',
    '漢',
    '😀',
    '\u2028',
    '\u2029',
    '\x85',
    '\x7f',
    '\ufeff',
    '\\n',
    '\\"',
  ),
);
const text = fc.array(character, { maxLength: 8 }).map((parts) => `"${parts.join('')}"`);
const number = fc.constantFrom(
  ...['0', '-0', '1.0', '1e400', '-1E-400', '9007199254740993', '123456789012345678901234567890', '0.1000', '1e+2'],
);
/** JSON as no library would write it: escapes, numbers, blanks, and names that come twice. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, number, fc.constantFrom('true', 'false', 'null', '{}', '[ ]')),
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(fc.tuple(text, space, tie('value'), space), { maxLength: 4 })
      .map(
        (members) =>
          `{${members.map(([name, blank, inner, after]) => `${blank}${name}${blank}:${after}${inner}${after}`).join(',')}}`,
      ),
  ),
}));

/** Echoes the parameters as they are spelled, as one JSON text or as an event, as the message wants. */
function echo(): Promise<ScriptedServer> {
  return scriptedServer(({ body }, response) => {
    const source = body.toString();
    const id = /"id" ?: ?("[^"]*"|\d+)/.exec(source)?.[1];
    const inner = source.slice(source.indexOf('"params":') + 9, source.lastIndexOf('}'));
    const answer = `{"result":${inner},  "later":{"revision":true}, "id":${id},"jsonrpc":"2.0"}`;
    const isStream = source.includes('"stream"');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `: comment\nevent: message\ndata: ${answer}\n\n` : answer);
  });
}

/** What some hosts take for the end of a line: escaped, it means the same. */
const otherLineEnd = /[\x85\u2028\u2029]/g;

async function roundTrip(
  host: RawHost,
  server: ScriptedServer,
  id: number,
  kind: string,
  inner: string,
): Promise<void> {
  const request = `{"x-later": [1e400] ,"jsonrpc":"2.0","id":${id},"method":"${kind}","params":${inner}}`;
  const before = server.seen.length;
  await host.write(request);
  const answer = (await host.line()).toString();
  assert.equal(server.seen[before]?.body.toString(), request);
  const sent = `{"result":${inner},  "later":{"revision":true}, "id":${id},"jsonrpc":"2.0"}`;
  assert.equal(
    answer,
    sent.replace(otherLineEnd, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

test('whatever valid message goes in comes out at the other side, byte for byte, and on one line for every host', async () => {
  await using server = await echo();
  await using home = await bareHome();
  await using host = startRawHost(home, server.url);
  let id = 0;
  const messages = fc.tuple(value, fc.constantFrom('stream', 'json'));
  await fc.assert(
    fc.asyncProperty(messages, ([inner, kind]) => {
      id += 1;
      return roundTrip(host, server, id, kind, inner);
    }),
    { numRuns: 300 },
  );
});

test('so do messages of 10 MB, of 10,000 levels, and of 100,000 members', async () => {
  await using server = await echo();
  await using home = await bareHome();
  await using host = startRawHost(home, server.url);
  const large = `{"text":"${'é\\n漢 \u20ac\u0080"'.replace('"', '\\"').repeat(1_000_000)}"}`;
  assert.ok(Buffer.byteLength(large) > 10_000_000);
  const deep = `${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}`;
  const wide = `{${Array.from({ length: 100_000 }, (_, index) => `"m${index}":${index}`).join(',')}}`;
  let id = 0;
  for (const inner of [large, deep, wide]) {
    for (const kind of ['json', 'stream']) await roundTrip(host, server, ++id, kind, inner);
  }
});
