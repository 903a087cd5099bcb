import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { columnsOf, commandLine, cutTo, fitted, inColumns, wrapped } from '../../../src/core/text/layout.js';
import { lookOf, palette, plainLook, toned } from '../../../src/core/text/look.js';

test('a stream that is no terminal has no colours and 80 columns; a terminal is taken as 40 to 200 wide', () => {
  assert.deepEqual(lookOf({}, true), plainLook);
  assert.deepEqual(lookOf({ columns: 30 }, true), plainLook);
  for (const [columns, width] of [
    [0, 80],
    [30, 40],
    [120, 120],
    [500, 200],
  ] as const) {
    assert.deepEqual(lookOf({ isTTY: true, columns }, true), { width, color: true });
  }
  assert.deepEqual(lookOf({ isTTY: true, columns: 100 }, false), { width: 100, color: false });
});

test('a tone changes colours only, and nothing where there are none', () => {
  assert.equal(toned(plainLook, 'bad', 'no'), 'no');
  assert.equal(toned({ width: 80, color: true }, 'bad', 'no'), '\u001b[31mno\u001b[39m');
  assert.equal(columnsOf(toned({ width: 80, color: true }, 'strong', '日本')), 4);
});

const words = fc.array(fc.constantFrom('a', 'word', 'longer-word', '日本語', 'é', '👍', ','), { maxLength: 30 });

test('property: what is cut fits, and what fits stays as it is', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 60 }), (parts, width) => {
      const text = parts.join(' ');
      const cut = cutTo(width, text);
      assert.ok(columnsOf(cut) <= width, cut);
      if (columnsOf(text) <= width) assert.equal(cut, text);
    }),
  );
});

test('property: a text is as wide as the library says that knows every character', () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom(...' ab-~éʯ–“”…→─✓'), maxLength: 8 }),
    fc.constantFrom(
      '한국어',
      '日本',
      '👍🏽',
      '👩‍👩‍👧',
      '1️⃣',
      '🇩🇪',
      'e\u0301',
      toned({ width: 80, color: true }, 'good', 'well'),
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      assert.equal(columnsOf(text), stringWidth(text), JSON.stringify(text));
    }),
    { numRuns: 200 },
  );
  for (let code = 0x20; code < 0x2720; code += 11) {
    const character = String.fromCodePoint(code);
    // Thai's AM is a column of its own in a terminal; the library takes it for a part of what stands before it.
    const own = character === '\u0e33' ? 1 : 0;
    assert.equal(columnsOf(`a${character}`), stringWidth(`a${character}`) + own, character);
  }
});

test('property: a wrapped paragraph keeps its words, and no line is wider than the terminal', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 0, max: 12 }), (parts, width, indent) => {
      const lines = wrapped(parts.join(' '), width, indent);
      assert.deepEqual(lines.flatMap((line) => line.split(' ')).filter(Boolean), parts.filter(Boolean));
      for (const line of lines) assert.ok(columnsOf(line) <= width, line);
    }),
  );
});

test('property: rows in columns fit where one column may be cut, and line up', () => {
  const row = fc.tuple(fc.constantFrom('a', 'name', 'échelle'), words, fc.constantFrom('ok', 'expired'));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.integer({ min: 40, max: 200 }), (rows, width) => {
      const cells = rows.map(([name, parts, state]) => [name, parts.join(' '), state]);
      for (const line of inColumns({ width, color: false }, cells, 1)) assert.ok(columnsOf(line) <= width, line);
    }),
  );
});

test('a line that does not fit is broken between words, and what is to be copied is not', () => {
  assert.deepEqual(fitted('  one two three four five six seven', 20), ['  one two three four', '  five six seven']);
  assert.deepEqual(fitted('FAILS in the file: it is too long', 22, 6), ['FAILS in the file:', '      it is too long']);
  assert.deepEqual(fitted('Nothing was changed. To take it back, run: postern uninstall --yes', 40), [
    'Nothing was changed. To take it back,',
    'run:',
    '  postern uninstall --yes',
  ]);
  for (const whole of [
    'https://example.com/a/long/address/that/is/to/be/copied',
    '  postern login https://example.com/mcp --scope "a b c"',
    '{"event":"device_code", "userCode": "ABCD-EFGH"}',
  ]) {
    assert.deepEqual(fitted(whole, 40), [whole]);
  }
});

test('a command to copy stands less far in where it has no room otherwise', () => {
  assert.equal(commandLine('postern status', 40, 11), '           postern status');
  assert.equal(commandLine('postern client-metadata --help', 40, 11), '          postern client-metadata --help');
  assert.equal(commandLine(`postern login ${'x'.repeat(40)}`, 40, 2), `postern login ${'x'.repeat(40)}`);
});

test('property: a line that is fitted keeps its words, and only a word alone is wider than the terminal', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 0, max: 6 }), (parts, width, hang) => {
      const lines = fitted(parts.join(' '), width, hang);
      assert.deepEqual(lines.flatMap((line) => line.split(' ')).filter(Boolean), parts.filter(Boolean));
      for (const line of lines) assert.ok(columnsOf(line) <= width, line);
    }),
  );
});

/** WCAG 2.2: the ratio of two relative luminances. */
function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('where a terminal has 256 colours, each tone can be read on white and on dark; else the owner’s colours are taken', () => {
  const steps = [0, 95, 135, 175, 215, 255];
  for (const [tone, [on]] of Object.entries(palette)) {
    const code = Number(/38;5;(\d+)$/.exec(String(on))?.[1]) - 16;
    const own = luminance([steps[Math.floor(code / 36)], steps[Math.floor(code / 6) % 6], steps[code % 6]].map(Number));
    for (const paper of ['ffffff', '000000', '1e1e1e']) {
      const ground = luminance([...Buffer.from(paper, 'hex')]);
      assert.ok(contrast(own, ground) >= 3.4, `${tone} on #${paper}: ${contrast(own, ground)}`);
    }
  }
  const look = lookOf({ isTTY: true, columns: 80, getColorDepth: () => 8 }, true);
  assert.equal(toned(look, 'warning', 'no'), '\u001b[1;38;5;166mno\u001b[22;39m');
  assert.equal(columnsOf(toned(look, 'warning', 'no')), 2);
  for (const [depth, color] of [
    [4, true],
    [24, false],
  ] as const) {
    const basic = lookOf({ isTTY: true, columns: 80, getColorDepth: () => depth }, color);
    assert.equal(toned(basic, 'name', 'no'), color ? '\u001b[36mno\u001b[39m' : 'no');
  }
});
