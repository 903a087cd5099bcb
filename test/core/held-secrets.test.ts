import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { holdSecret, holdSession, redact } from '../../src/core/secret.js';
import { quoted } from '../../src/core/text/printable.js';
import { Secret } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';

test('a secret is not printed from the moment it is made, in whatever form it stands there [A-252]', async () => {
  const secret = fc.string({ minLength: 16, maxLength: 60 }).filter((text) => text.trim().length >= 16);
  await fc.assert(
    fc.asyncProperty(secret, async (value) => {
      const held = new Secret(value);
      const texts = {
        plain: redact(`before ${value} after`),
        url: redact(`?x=${encodeURIComponent(value)}&y`),
        form: redact(new URLSearchParams({ x: value }).toString()),
        json: redact(JSON.stringify({ x: value })),
        base64: redact(Buffer.from(value).toString('base64')),
        base64url: redact(Buffer.from(value).toString('base64url')),
      };
      for (const [name, text] of Object.entries(texts)) assert.match(text, /\*\*\*/, name);
      assert.deepEqual(await findSecrets({ value: held.reveal() }, { folders: [], texts }), []);
    }),
  );
});

test('of a value within another nothing is left; short words, and what a person is shown, stay', () => {
  for (const value of ['canary-1', 'canary-1-and-more', 'GET', '']) holdSecret(value);
  const state = new Secret('state-in-an-address', { held: false });
  assert.equal(redact(`GET canary-1-and-more canary-1 ${state.reveal()}`), 'GET *** *** state-in-an-address');
});

test('of a value that was cut before it was printed the beginning is not printed either', () => {
  const value = 'eyJhbGciOiJub25lIn0.canary-of-a-token.signature';
  holdSecret(value);
  const said = (text: string) => redact(`it said: ${quoted(text, 60)}, and "${text.slice(0, 8)}…"`);
  // Nothing that another test of this process may hold.
  const filler = '-+'.repeat(25);
  assert.equal(said(`${filler.slice(30)} ${value}`), `it said: "${filler.slice(30)} ***…", and "-+-+-+-+…"`);
  assert.equal(said(`${filler} ${value}`), `it said: "${filler} eyJhbGciO…", and "-+-+-+-+…"`, 'too short');
});

test('secrets and sessions without end take no memory without end; what is in use is held, and no session pushes a secret out [A-252]', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const used = new Secret('canary-token-in-use');
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 10_000; count += 1) {
    holdSession(`${count}-${'x'.repeat(2_000)}`);
    holdSecret(`${count}-${'y'.repeat(2_000)}`);
    used.reveal();
  }
  gc();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes are kept`);
  assert.equal(redact(`canary-token-in-use 9999-${'x'.repeat(2_000)} 9999-${'y'.repeat(2_000)}`), '*** *** ***');
  const lasting = new Secret('canary-made-once');
  for (let count = 0; count < 10_000; count += 1) holdSession(`offered-by-a-server-${count}`);
  assert.equal(redact(`${lasting.reveal()} offered-by-a-server-1`), '*** offered-by-a-server-1');
});
