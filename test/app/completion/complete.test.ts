import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { complete } from '../../../src/app/completion/complete.js';
import { asTyped, completionLines, knownFrom, readShellLine } from '../../../src/app/completion/start.js';
import { registry } from '../../../src/app/registry.js';
import { settings } from '../../../src/core/configuration/settings.js';
import { findings } from '../../../src/doctor/findings.js';
import { anyText } from '../../support/arbitraries.js';
import type { LoginRecord, ToolSignature } from '../../support/product.js';

const work = { name: 'work', server: 'https://example.com/mcp', account: 'me', issuer: 'https://as.example', key: 'k' };

const parameter = { entries: undefined, isRequired: false, choices: undefined, description: 'What it says.' };

function tool(name: string, description = 'Says.\nTwice.'): ToolSignature {
  const parameters = [
    { ...parameter, name: 'loud', types: ['boolean'] },
    { ...parameter, name: 'mood', types: ['string'], choices: ['glad', 'sad', 'a b'] },
    { ...parameter, name: 'bad\u001bname', types: ['string'] },
  ];
  return {
    name,
    description,
    isReadOnly: true,
    isDestructive: false,
    isIdempotent: false,
    isOpen: false,
    isMarked: false,
    parameters,
  };
}

const known = knownFrom(
  [work, { ...work, name: undefined, server: 'https://b.example' }] as unknown as LoginRecord[],
  ({ key, name }) =>
    key === 'k' && name === 'work'
      ? {
          at: 0,
          isWhole: true,
          tools: [
            tool('echo', 'Says \u001b[31mit.\nTwice.'),
            tool('e\u001b[2Jvil'),
            tool('two words'),
            tool(':command'),
            tool('--save=/etc'),
          ],
        }
      : undefined,
  [{ issuer: 'https://company.example' }, { issuer: 'https://evil\u001b.example' }],
);

function offered(...words: string[]): readonly string[] {
  const found = complete(known, words.slice(0, -1), words.at(-1) ?? '');
  return found.kind === 'words' ? found.words.map(([word]) => word) : [`:${found.kind}${found.before}`];
}

test('every command, further name, option and choice is offered where it may stand', () => {
  assert.deepEqual(
    offered('lo').filter((word) => /^log/.test(word)),
    ['login', 'logout'],
  );
  for (const { table } of registry) {
    for (const name of [table.name, ...(table.aliases ?? [])]) {
      assert.ok(offered(name.slice(0, 2)).includes(name), name);
      for (const option of table.options) {
        assert.ok(offered(name, `--${option.name.slice(0, 3)}`).includes(`--${option.name}`), option.name);
        const choices = ('choices' in option && option.choices) || [];
        if (choices.length > 0) assert.deepEqual(offered(name, `--${option.name}`, ''), choices);
      }
    }
  }
});

test('the values of options are known, in whichever form they are typed', () => {
  assert.deepEqual(offered('login', '--store', 'f'), ['file']);
  assert.deepEqual(offered('login', '--store=f'), ['--store=file']);
  assert.deepEqual(offered('login', '--store', ''), ['keychain', 'file', 'helper:', 'redis:']);
  assert.ok(offered('call', '--store', '').includes('memory'));
  assert.deepEqual(offered('login', 'x', '--registration', 'd'), ['dynamic']);
  assert.deepEqual(offered('login', '--client-key-file', 'a'), [':file']);
  assert.deepEqual(offered('login', '--client-key-file=a'), [':file--client-key-file=']);
  assert.deepEqual(offered('token', 'work', '--account', ''), ['me']);
  assert.deepEqual(offered('login', '--authorization-server', ''), ['https://as.example']);
  assert.ok(offered('login', '--from', 'c').includes('cursor'));
  assert.ok(offered('sandbox', '--misbehave', 'as-i').length > 1);
  assert.deepEqual(offered('login', '--name', ''), []);
  assert.deepEqual(offered('login', '--name', 'x', '--device', ''), offered('login', ''));
});

test('settings, findings, browsers and company providers are known', () => {
  assert.deepEqual(offered('config', ''), ['get', 'set', 'unset', 'edit', 'path']);
  assert.deepEqual(
    offered('config', 'set', ''),
    settings.map(({ key }) => key),
  );
  assert.deepEqual(offered('config', 'set', 'store', 'k'), ['keychain']);
  assert.deepEqual(offered('config', 'set', 'timeoutSeconds', ''), []);
  assert.deepEqual(offered('doctor', '--explain', ''), ['list', ...Object.keys(findings)]);
  assert.ok(offered('login', '--browser-with', '').includes('firefox'));
  assert.deepEqual(offered('login', '--idp', ''), ['https://company.example']);
  assert.deepEqual(offered('logout', '--idp', 'h'), ['https://company.example']);
  assert.deepEqual(offered('switch', 'work', ''), ['me']);
});

test('an option that is there, or that contradicts one that is, is not offered; a list is, again', () => {
  assert.ok(!offered('login', '--device', '--').includes('--device'));
  assert.ok(!offered('login', '--device', '--').includes('--browser'));
  assert.ok(!offered('proxy', '--socket', 's', '--').includes('--port'));
  assert.ok(!offered('proxy', '--port', '5', '--').includes('--socket'));
  assert.ok(offered('login', '--scope', 'a', '--').includes('--scope'));
  assert.ok(offered('login', '--').every((word) => word.startsWith('--')));
  assert.ok(offered('--json', 'login', '-').includes('--quiet'));
});

test('names of logins, their servers, their tools and what these take are known', () => {
  assert.deepEqual(offered('token', ''), ['work', 'https://example.com/mcp', 'https://b.example']);
  assert.deepEqual(offered('token', 'https://b'), ['https://b.example']);
  assert.deepEqual(offered('call', 'work', 'e'), ['echo']);
  assert.deepEqual(offered('call', 'work', 'resources/r'), ['resources/read']);
  assert.deepEqual(offered('call', 'https://b.example', 'e'), []);
  assert.deepEqual(offered('call', '--timeout', '5', 'work', 'echo', ''), ['loud=', 'mood=']);
  assert.deepEqual(offered('call', 'work', 'echo', 'mood=g'), ['mood=glad']);
  assert.deepEqual(offered('call', 'work', 'echo', 'loud=true', 'loud='), ['loud=true', 'loud=false']);
  assert.deepEqual(offered('setup', 'claude', 'w'), ['work']);
  assert.ok(offered('setup', 'cl').includes('claude'));
  assert.deepEqual(offered('credential', 'kube'), ['kubectl']);
  assert.deepEqual(offered('help', 'store'), ['stores']);
  assert.deepEqual(offered('completion', 'p'), ['powershell', 'pwsh']);
  assert.deepEqual(offered('exec', 'work', '--', 'l'), [':command']);
  assert.deepEqual(offered('nobody', ''), []);
});

test('a tool’s name is neither an option nor a line for the script, and PowerShell is given what it cannot run', () => {
  assert.ok(offered('call', 'work', '').every((word) => /^[a-z]/.test(word)));
  const line = { before: [], current: '', quote: '' };
  const words = [['echo', ''] as const, ["a$(calc)'’b", 'x'] as const];
  assert.deepEqual(completionLines('powershell', { kind: 'words', words }, line, ''), ['echo\t', "'a$(calc)''’’b'\tx"]);
});

test('property: whatever is typed, there is an answer, and each word begins as it was typed', () => {
  const word = fc.oneof(
    anyText(),
    fc.constantFrom('call', 'login', '--', '--store', '--store=', '-', 'work', 'echo', 'mood='),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), word, (before, current) => {
      const found = complete(known, before, current);
      if (found.kind === 'words') for (const [one] of found.words) assert.ok(one.startsWith(current), one);
      for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
        for (const line of completionLines(shell, found, { before, current, quote: '' }, '=:')) {
          assert.doesNotMatch(line, /(?!\t)\p{Cc}/u);
        }
      }
    }),
  );
});

test('property: a word as it is typed is read as that word, within each quote and without', () => {
  fc.assert(
    fc.property(anyText(), fc.constantFrom('', "'", '"'), (text, quote) => {
      const word = text.replaceAll(/[\n\0]/g, '');
      const line = `postern call ${quote}${asTyped(word, quote)}`;
      assert.deepEqual(
        readShellLine(`${line}${quote} x`).before,
        word === '' && quote === '' ? ['call'] : ['call', word],
      );
      assert.equal(readShellLine(line).current, word);
    }),
  );
});

test('bash is given what follows where it breaks a word', () => {
  const lines = (line: string, breaks: string) => {
    const read = readShellLine(line);
    return completionLines('bash', complete(known, read.before, read.current), read, breaks);
  };
  assert.deepEqual(lines('postern token https://b', '=:'), ['//b.example']);
  assert.deepEqual(lines('postern token https://b', ' '), ['https://b.example']);
  assert.deepEqual(lines('postern token "https://b', '=:'), ['https://b.example']);
  assert.deepEqual(lines('postern login --store=f', '=:'), ['file']);
  assert.deepEqual(lines('postern call work echo mo', '=:'), [':nospace', 'mood=']);
});

test('property: PowerShell reads a word that it is given as that word, and runs nothing in it', () => {
  // A string in single quotes has no escapes but the quote twice, of whichever form; letters alone are an argument.
  const read = (typed: string) =>
    /^['\u2018-\u201b]/.test(typed) ? typed.slice(1, -1).replaceAll(/(['\u2018-\u201b])\1/g, '$1') : typed;
  fc.assert(
    fc.property(anyText(), (text) => {
      const word = text.replaceAll(/[\p{Cc}]/gu, '') || 'x';
      const line = { before: [], current: '', quote: '' };
      // Before a word that goes on stands ":nospace".
      const [last = ''] = completionLines('powershell', { kind: 'words', words: [[word, '']] }, line, '').slice(-1);
      const typed = last.slice(0, last.indexOf('\t'));
      assert.equal(read(typed), word);
      const inner = typed.startsWith("'") ? typed.slice(1, -1) : '';
      assert.doesNotMatch(inner.replaceAll(/(['\u2018-\u201b])\1/g, ''), /['\u2018-\u201b]/, 'no quote ends it early');
      if (!typed.startsWith("'")) assert.doesNotMatch(typed, /[$`"'(){}<>;|&@#,\s\u2018-\u201f]/);
    }),
  );
});
