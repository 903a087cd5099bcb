import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { blocksOf } from '../../src/app/help/blocks.js';
import { ownTables } from '../../src/app/help/own-tables.js';
import { readTopic, topicNames } from '../../src/app/help/topics.js';
import { registry } from '../../src/app/registry.js';
import { columnsOf } from '../../src/core/text/layout.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';
import { Session } from '../transcripts/session.js';
import { type Play, sessions } from '../transcripts/sessions.js';

const tables = registry.map(({ table }) => table);

/** The short help of a command is shown by the sessions. */
const help: Play = async (session) => {
  for (const name of [...[...tables, ...ownTables].map((one) => one.name), ...topicNames])
    await session.before(`help ${name}`);
};

/** Lines of topics and examples that are to be copied as they stand. */
const copied = [
  ...[...tables, ...ownTables].flatMap(({ examples = [] }) => examples.map(({ command }) => command)),
  ...topicNames.flatMap((name) =>
    blocksOf(readTopic(name).text).flatMap((block) =>
      block.kind === 'code' ? block.lines.map((line) => line.trim()) : [],
    ),
  ),
].join('\n');

/** What a line break would spoil: a word, a command or an address to copy, JSON, a line of a configuration file. */
function isWhole(line: string): boolean {
  const text = line.trim();
  return (
    /^(?:\S+: )?\S+$/.test(text) ||
    /^(?:postern |git config |--[a-z-]+ \S+$|[{}"[\]]|\w+ = |helper = |\/\S*node )/.test(text) ||
    copied.includes(text.replace(/ \\$/, ''))
  );
}

const esc = '\u001b';

/** A colour that is switched on and off again around nothing, or around blanks alone. */
const emptyColour = new RegExp(`${esc}\\[[1-9][\\d;]*m *${esc}\\[(?:0|22|39|49|39;49|22;39)m`);

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox({ accessTokenSeconds: 3_630 });
});
after(() => sandbox.close());

const { 'first-screen': firstScreen, login, logins, call, setup, stores } = sessions;
const narrow = { help, login, logins, call, setup, stores };
const wide = { help, firstScreen };

for (const [columns, plays] of [
  [40, narrow],
  [200, wide],
] as const) {
  test(`property: whatever is printed fits ${columns} columns but for what cannot be broken, ends no line with blanks, and no colour is empty`, async () => {
    const tooWide: string[] = [];
    for (const [name, play] of Object.entries(plays)) {
      const session = await Session.begin(sandbox, { columns, color: true });
      await play?.(session).finally(() => session.end());
      assert.ok(
        session.printed.some((text) => text.includes('\u001b[')) || name === 'stores',
        `${name}: nothing has a colour`,
      );
      for (const text of session.printed) {
        for (const line of text.split(/\r?\n/)) {
          const plain = stripVTControlCharacters(line);
          if (columnsOf(plain) > columns && !isWhole(plain)) tooWide.push(`${name}: ${plain}`);
          assert.match(plain, /(?:^|\S|[\]?:] )$/, `${name}: blanks at the end of ${JSON.stringify(plain)}`);
          assert.doesNotMatch(line, emptyColour, `${name}: ${JSON.stringify(line)}`);
        }
      }
    }
    assert.deepEqual(tooWide, [], `wider than ${columns} columns`);
  });
}
