import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withLineMeant } from '../../src/app/wrong-command-line.js';
import { callTable } from '../../src/call/call.options.js';
import { shellWord } from '../../src/core/text/printable.js';
import { exitCode, Failure, type Typo } from '../support/product.js';

/** The remedy for that line of `call`. */
function remedyOf(line: string, typo: Typo): string {
  const failure = new Failure({ code: 'x', exit: exitCode.usage, message: 'It is wrong.', remedy: 'as it was', typo });
  const meant = withLineMeant(failure, line.split(' '), callTable);
  assert.ok(meant instanceof Failure);
  return meant.remedy.replace(/^Did you mean (".*?")\? Run: /, '$1 ');
}

test('the whole line is told again, with the word that was meant, and without what may be a secret', () => {
  const tool = { typed: 'ech', meant: 'echo' };
  for (const [line, typo, remedy] of [
    ['call work ech text=hi', tool, '"echo" postern call work echo text=…'],
    ['call work ech text=hi n:=5 plain', tool, '"echo" postern call work echo text=… n:=… plain'],
    ['call https://a.example/mcp ech', tool, '"echo" postern call https://a.example/mcp echo'],
    ['call https://a.example/mcp?key=1 ech', tool, '"echo" postern call … echo'],
    ['call work ech --output json --account me -v', tool, '"echo" postern call work echo --output json --account … -v'],
    [
      'call work ech --authorization-server https://as.example --account me',
      tool,
      '"echo" postern call work echo --authorization-server https://as.example --account …',
    ],
    [
      'call work ech --authorization-server https://as.example/?key=1',
      tool,
      '"echo" postern call work echo --authorization-server …',
    ],
    ['call work ech --account=me', tool, '"echo" postern call work echo --account=…'],
    ['call work echo txet=hi', { typed: 'txet', meant: 'text' }, '"text" postern call work echo text=…'],
    [
      'call work paint color=gren',
      { typed: 'color', meant: 'color=green' },
      '"color=green" postern call work paint color=green',
    ],
    ['call work echo --output jsn', { typed: 'jsn', meant: 'json' }, '"json" postern call work echo --output json'],
    [
      'call work echo --acount me',
      { typed: '--acount', meant: '--account' },
      '"--account" postern call work echo --account …',
    ],
    [
      'call work echo --quite n=1',
      { typed: '--quite', meant: '--quiet' },
      '"--quiet" postern call work echo --quiet n=…',
    ],
    [
      'work echo text=hi',
      { typed: 'work', meant: 'work', command: ['call'] },
      '"call work" postern call work echo text=…',
    ],
  ] as const) {
    assert.equal(remedyOf(line, typo), remedy);
  }
});

test('where it is not clear which word is meant, or the other one is no plain word, the remedy is as it was', () => {
  assert.equal(remedyOf('call ech ech', { typed: 'ech', meant: 'echo' }), 'as it was');
  assert.equal(remedyOf('call work', { typed: 'ech', meant: 'echo' }), 'as it was');
  assert.equal(remedyOf('call work ech', { typed: 'ech', meant: 'ech\u001b[2J' }), 'as it was');
  assert.equal(
    remedyOf('call work ech', { typed: 'ech', meant: 'my echo' }),
    `"my echo" postern call work ${shellWord('my echo')}`,
  );
});
