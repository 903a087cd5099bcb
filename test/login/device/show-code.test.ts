import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encode } from 'uqr';
import { plainLook } from '../../../src/core/text/look.js';
import { deviceLines, qrCodeLines } from '../../../src/login/device/show-code.js';
import { anyUrlWithoutFragment } from '../../support/arbitraries.js';
import { Secret } from '../../support/product.js';

const device = {
  deviceCode: new Secret('d'),
  userCode: 'ABCD-EFGH',
  verificationUri: 'https://as.example/device',
  verificationUriComplete: undefined,
  lifetimeMs: 600_000,
  intervalMs: 5_000,
};

test('how long a code is good for is never said to be longer than it is waited for', async () => {
  const said = async (timeoutMs: number) => (await deviceLines(device, { timeoutMs })).at(-1);
  assert.equal(await said(10_000), 'The code is good for 10 seconds.');
  assert.equal(await said(119_000), 'The code is good for 1 minute.');
  assert.equal(await said(900_000), 'The code is good for 10 minutes.');
});

test('at a terminal the code is large, too, and the address a picture; elsewhere, and where it does not fit, neither', async () => {
  const about = { timeoutMs: 900_000 };
  const elsewhere = (await deviceLines(device, about)).join('\n');
  assert.doesNotMatch(elsewhere, /A {2}B|█|camera/);
  const look = { width: 60, color: true };
  const shown = (await deviceLines(device, { ...about, look })).join('\n');
  assert.ok(shown.includes('\u001b[1m    A  B  C  D  -  E  F  G  H\u001b[22m'), shown);
  assert.match(shown, /type this code there: {2}ABCD-EFGH/, 'to be copied');
  assert.match(shown, /camera/);
  const complete = 'https://as.example/device?user_code=ABCD-EFGH';
  const whole = await deviceLines({ ...device, verificationUriComplete: complete }, { ...about, look });
  for (const line of await qrCodeLines(complete, look)) assert.ok(whole.includes(line));
  const long = `https://as.example/device?${'x'.repeat(200)}`;
  const wide = { ...device, userCode: 'x'.repeat(30), verificationUri: long };
  const narrow = await deviceLines(wide, { ...about, look: { ...look, width: 50 } });
  assert.doesNotMatch(narrow.join('\n'), /x {2}x|█|camera/);
  assert.deepEqual(await qrCodeLines(`https://as.example/${'x'.repeat(300)}`, { width: 200, color: true }), []);
  assert.deepEqual(await qrCodeLines('https://as.example/\u001b[2J', look), [], 'what is not shown is no picture');
});

test('an address that only this computer has is told so, and is no picture for a phone', async () => {
  const about = { timeoutMs: 900_000, look: { width: 80, color: true } };
  for (const host of ['127.0.0.1:5801', 'localhost:5801', '[::1]:5801']) {
    const here = { ...device, verificationUri: `http://${host}/device` };
    const lines = (await deviceLines(here, about)).join('\n');
    assert.match(lines, /^Open this address in a browser, on this computer:$/m);
    assert.doesNotMatch(lines, /camera|phone|█/);
  }
});

test('read back, the picture has every module of the code, black on white or light on dark', async () => {
  await fc.assert(
    fc.asyncProperty(anyUrlWithoutFragment, fc.boolean(), async (address, color) => {
      const look = { ...plainLook, width: 200, color };
      const lines = await qrCodeLines(address, look);
      fc.pre(lines.length > 0);
      const { data, size } = encode(address, { ecc: 'L', border: 2 });
      const isInk = (row: number, column: number) => {
        const line = (lines[row >> 1] ?? '').replaceAll('\u001b[30;107m', '').replaceAll('\u001b[39;49m', '');
        return (row % 2 === 0 ? '█▀' : '█▄').includes(line[column] ?? 'x');
      };
      for (let row = 0; row < size; row += 1) {
        for (let column = 0; column < size; column += 1) {
          assert.equal(isInk(row, column) === color, data[row]?.[column]);
        }
      }
    }),
    { numRuns: 20 },
  );
});
