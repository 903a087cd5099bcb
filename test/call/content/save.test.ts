import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Media, piecesOf } from '../../../src/call/content/pieces.js';
import { fileName } from '../../../src/call/content/save.js';
import type { JsonObject } from '../../../src/core/text/json.js';
import { anyText } from '../../support/arbitraries.js';

const media = (own: Partial<Media>): Media => ({
  ...{ kind: 'media', what: 'resource', mediaType: '', uri: '', content: new Uint8Array() },
  ...own,
});

const named = (own: Partial<Media>) => fileName(media(own)).join('');

test('a file is named after its resource, or after what it is, with the extension of its media type', () => {
  assert.equal(named({ uri: 'file:///home/a/report.csv', mediaType: 'text/csv' }), 'report.csv');
  assert.equal(named({ uri: 'file:///report.sh', mediaType: 'text/plain' }), 'report.txt');
  assert.equal(named({ uri: 'note://1' }), '1.bin');
  assert.equal(named({ uri: 'https://a.example/x%20y.tar.gz?q#z', mediaType: 'application/gzip' }), 'x-y-tar.gz');
  assert.equal(named({ what: 'image', mediaType: 'image/png' }), 'image.png');
  assert.equal(named({ content: 'text', mediaType: 'x/y' }), 'resource.txt');
  assert.equal(named({ mediaType: 'application/ld+json' }), 'resource.json');
});

test('no name that a server gives is a path, hidden, a device, or of an extension of its own', () => {
  const odd = [
    '..',
    '../../x',
    '.ssh',
    'a/..',
    '..%2f..%2fx',
    '%2e%2e',
    'C:\\x\\y',
    'CON',
    'nul.txt',
    '-rf',
    'a\u0000b',
    '%zz',
    '__proto__',
  ];
  for (const uri of odd) assert.match(named({ uri: `file:///${uri}` }), /^[A-Za-z0-9_][A-Za-z0-9_-]*\.bin$/, uri);
  assert.equal(named({ uri: 'x:/CON' }), 'resource.bin');
  fc.assert(
    fc.property(anyText(), anyText(), (uri, mediaType) => {
      const name = named({ uri, mediaType });
      assert.match(name, /^[A-Za-z0-9_][A-Za-z0-9_-]{0,59}\.[a-z0-9]{2,4}$/);
    }),
  );
});

test('whatever a result holds, its pieces are text, files or one harmless line', () => {
  const content = fc.array(
    fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'x'),
          text: anyText(),
          data: anyText(),
          uri: anyText(),
        },
        { requiredKeys: ['type'] },
      ),
    ),
  );
  fc.assert(
    fc.property(content, (list) => {
      const result = JSON.parse(
        JSON.stringify({ content: list, contents: list, messages: list.map((one) => ({ content: one })) }),
      ) as JsonObject;
      for (const method of ['tools/call', 'resources/read', 'prompts/get', 'x']) {
        for (const piece of piecesOf(method, result) ?? []) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
          if (piece.kind === 'other') assert.doesNotMatch(piece.line, /[\u0000-\u001f\u007f-\u009f\u202e]/);
        }
      }
    }),
  );
});
