import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/app/command-line.js';
import { globalOptions } from '../../src/app/global-options.js';
import { topicNames } from '../../src/app/help/topics.js';
import { registry } from '../../src/app/registry.js';
import type { CommandTable } from '../../src/core/command.js';
import { repositoryRoot } from '../support/repository.js';

/** Options of other programs that a remedy may name. */
const foreign = /gnome-keyring-daemon(?: --[a-z=]+)*|--omit=optional|openssl genpkey[^;]*|-- bash|-- sh|-- cmd/g;
const commandNames = [...registry.map(({ table }) => table.name), 'help', 'version', '--help'];

/** Each command that a text names; one ends at a comma, a semicolon, a bracket or the end of its sentence. */
function commandsIn(text: string): readonly string[] {
  const found = text.match(/\bpostern (?:'(?:[^']|'\\'')*'|<[^>]*>|[^\s';,()]+|\s+(?=[^\s—(]))+/g) ?? [];
  // "Update postern to …" is no command; after a colon everything is.
  const isMeant = (command: string) =>
    text.includes(`: ${command}`) || commandNames.includes(command.split(/[\s.]+/)[1] ?? '');
  return found.filter(isMeant).map((command) => command.replace(/[.?:]+$/, '').trim());
}

/** The words of a command line, as a POSIX shell takes them apart; what stands for something gets a value. */
function wordsOf(command: string): readonly string[] {
  const filled = command
    .replace(/\b(?:URL|SERVER)\b/g, 'https://example.com/mcp')
    .replace(/\bPROGRAM\b/g, 'claude')
    .replace(/\bNAME\b/g, 'work')
    .replace(/…/g, 'x');
  const words = filled.match(/(?:'(?:[^'])*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|\\(.)/g, (_, inside, escaped) => inside ?? escaped));
}

/** Many failures have one remedy: each command is tried once. */
const tried = new Map<string, Promise<void>>();

function assertIsTaken(command: string): Promise<void> {
  const isTaken = tried.get(command) ?? assertTaken(command);
  tried.set(command, isTaken);
  return isTaken;
}

async function assertTaken(command: string): Promise<void> {
  assert.doesNotMatch(command, /<[^>]*>/, 'a shell would read from a file what stands for something');
  const [, name = '', ...rest] = wordsOf(command);
  if (name === '--help') return;
  const topic = name === 'help' ? rest[0] : name;
  if (name === 'help' && topic !== undefined && topicNames.includes(topic)) return;
  const table: CommandTable | undefined = registry.find((entry) => entry.table.name === topic)?.table;
  assert.ok(table, `there is no command “${topic}”`);
  if (name === 'help' || rest.includes('--help')) return;
  const parsed = await parseCommandLine([name, ...rest], { tables: [table], version: '', env: {} });
  assert.ok(parsed.kind === 'command');
  const { args } = parsed;
  const needsNoServer = name !== 'login' || args['from'] !== undefined || args['expired'] === true;
  assert.ok(needsNoServer || args['server'] !== undefined, 'it names no server to log in to');
}

/** Every literal of our own sources, what is filled into it left open. */
const literals = (async () => {
  const folder = join(repositoryRoot, 'src');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^(?!sandbox\b).*\.ts$/.test(name));
  const all = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)].map(([literal]) => ({ name, literal }));
  });
  return (await Promise.all(all)).flat();
})();

test('every command that a text names is taken as it stands', async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const { name, literal } of await literals) {
    // After a colon, that is: elsewhere "postern" is the subject of a sentence. An `allow` is several words.
    const [, command] = /[:;] +(postern [a-z-]+.*)[`']$/s.exec(literal) ?? [];
    if (command === undefined || /\$\{allow\}|^postern (?:took|ended|call, |config shows)/.test(command)) continue;
    const filled = command
      .replace(/(?<=[\w-])\$\{(?:[^{}]|\{[^}]*\})*\}/g, '') // a suffix that may be empty
      .replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, 'https://example.com/mcp');
    for (const each of commandsIn(filled)) {
      count += 1;
      await assertIsTaken(each).catch((error: unknown) => {
        wrong.push(`${name}: ${each}\n    ${(error as Error).message}`);
      });
    }
  }
  assert.ok(count > 80, `found ${count}`);
  assert.deepEqual(wrong, []);
});

test('every option that a failure names is one of a command of ours', async () => {
  const known = new Set([...registry.flatMap(({ table }) => table.options), ...globalOptions].map(({ name }) => name));
  const named = (await literals)
    .filter(({ name }) => name.endsWith('failures.ts'))
    .flatMap(({ name, literal }) =>
      [...literal.replace(foreign, '').matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, option = '']) => ({
        name,
        option,
      })),
    );
  assert.ok(named.length > 50, `found ${named.length}`);
  assert.deepEqual(
    named.filter(({ option }) => !known.has(option)),
    [],
  );
});

test('a planted remedy that cannot work is seen', async () => {
  for (const planted of [
    'Run the same again: postern proxy work --login',
    'Log in again with postern login, which replaces it.',
    'Run: postern logn work',
    'Run: postern login work --timeout 3',
    "Run: postern login 'https://example.com/mcp?a=1;b' --scope",
  ]) {
    const [command = ''] = commandsIn(planted);
    await assert.rejects(assertIsTaken(command), planted);
  }
});
