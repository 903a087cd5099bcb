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
import { everyRemedy } from './every-remedy.js';

/** Whose option a remedy means that names one without a command: those that fail so. By file, or by file and maker. */
const commandsOf: Readonly<Record<string, readonly string[]>> = {
  'bridge/failures.': ['bridge'],
  'call/failures.argumentUnusable': ['call'],
  'call/failures.callTimedOut': ['call'],
  'call/failures.notSaved': ['call'],
  'call/failures.peerSilent': ['call'],
  'call/failures.requestFailed': ['request'],
  'call/failures.requestTimedOut': ['request'],
  'client-metadata/failures': ['client-metadata'],
  'core/usage-failures': ['login'],
  'credential/failures': ['credential'],
  'oauth/company/failures': ['login'],
  'login/company/failures': ['login'],
  'oauth/workload/failures.assertionNotTaken': ['login', 'call', 'bridge', 'token'],
  'oauth/workload/failures.assertionUnusable': ['login'],
  'login/browser/failures': ['login'],
  'login/client/failures': ['login'],
  'login/device/failures': ['login'],
  'login/failures': ['login'],
  'login/failures.notForgotten': ['logout'],
  'mcp/failures.resultMissing': ['call', 'bridge'],
  'oauth/discovery-failures': ['login'],
  'oauth/failures': ['login'],
  'proxy/failures': ['proxy'],
  'sandbox/failures': ['sandbox'],
  'setup/failures': ['setup'],
  'stores/failures': ['login'],
  'stores/keychain/failures': ['login'],
  'stores/sealed-files/failures': ['login'],
  'stores/shared/failures': ['logout'],
  'tokens/failures.accountUnknown': ['token', 'call', 'request', 'bridge', 'proxy', 'logout', 'credential'],
  'tokens/failures.tokenTooShort': ['exec'],
  'tokens/request-failures.stepUpDeclined': ['call', 'request', 'shell'],
  'tokens/failures.lifeTooShort': ['token', 'credential'],
  'tokens/failures.loginAmbiguous': ['token', 'call', 'request', 'bridge', 'proxy', 'logout', 'credential'],
  'mcp/failures.httpFailed': ['call', 'bridge'],
  'mcp/failures.protocolBroken': ['call', 'request', 'bridge', 'proxy', 'login'],
};

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
  const needsNoServer = name !== 'login' || args['from'] !== undefined;
  assert.ok(needsNoServer || args['server'] !== undefined, 'it names no server to log in to');
}

const remedies = everyRemedy();

test('every remedy that names a command names one that is taken as it stands', async () => {
  const told = await remedies;
  assert.ok(told.length > 200);
  const wrong: string[] = [];
  for (const { file, maker, remedy } of told) {
    for (const command of commandsIn(remedy)) {
      await assertIsTaken(command).catch((error: unknown) => {
        wrong.push(`${file}.${maker}: ${command}\n    ${(error as Error).message}`);
      });
    }
  }
  assert.deepEqual([...new Set(wrong)], []);
});

test('every option that a remedy names alone is one of the commands that fail so', async () => {
  const wrong: string[] = [];
  for (const { file, maker, remedy } of await remedies) {
    const bare = commandsIn(remedy).reduce((text, command) => text.replace(command, ''), remedy);
    const options = bare.replace(foreign, '').match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [];
    if (options.length === 0) continue;
    const commands = commandsOf[`${file}.${maker}`] ?? commandsOf[file];
    if (commands === undefined) wrong.push(`say in commandsOf which commands fail with ${file}.${maker}`);
    for (const name of commands ?? []) {
      const table = registry.find((entry) => entry.table.name === name)?.table;
      const known = [...(table?.options ?? []), ...globalOptions].map((option) => `--${option.name}`);
      for (const option of options.filter((each) => !known.includes(each))) {
        wrong.push(`${file}.${maker}: ${name} has no ${option}`);
      }
    }
  }
  assert.deepEqual([...new Set(wrong)], []);
});

/** Those that have no login in hand: the command is given to them, or there is none to make yet. */
const namesNoLoginInHand = /^login\/failures\.(?:noServersThere|notConfirmed|redirectUriNotTaken|resourceNotTaken)$/;

test('every failure of a login that names `postern login` again has the options that were typed', async () => {
  const ofLogin = (await remedies).filter(
    ({ file, maker }) => /^(?:login|oauth)\//.test(file) && !namesNoLoginInHand.test(`${file}.${maker}`),
  );
  const logsIn = ofLogin.filter(({ remedy }) => /postern login (?!--help)/.test(remedy));
  const makers = new Set(logsIn.map(({ file, maker }) => `${file}.${maker}`));
  assert.ok(makers.size > 15, [...makers].join());
  for (const one of logsIn.filter(({ isOfAsked }) => isOfAsked)) {
    makers.delete(`${one.file}.${one.maker}`);
    const forgetful = commandsIn(one.remedy).filter(
      (each) => /^postern login /.test(each) && !/ --timeout 60/.test(each),
    );
    assert.deepEqual(forgetful, [], `${one.file}.${one.maker}`);
  }
  assert.deepEqual([...makers], [], 'these are not given the login that was asked for');
});

test('a command that is told elsewhere is taken, too', async () => {
  const folder = join(repositoryRoot, 'src');
  const wrong: string[] = [];
  let count = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.ts') || /^sandbox\/|failures\.ts$/.test(name)) continue;
    const text = await readFile(join(folder, name), 'utf8');
    // After a colon, that is: elsewhere "postern" is the subject of a sentence. An `allow` is several words.
    for (const [, literal = ''] of text.matchAll(/['`][^'`\n]*[:;] +(postern [a-z-]+[^`'\n]*)['`]/g)) {
      if (/\$\{allow\}|<command>|^postern (?:took|ended|call, |config shows)/.test(literal)) continue;
      const filled = literal.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, 'https://example.com/mcp');
      for (const command of commandsIn(filled)) {
        count += 1;
        await assertIsTaken(command).catch((error: unknown) => {
          wrong.push(`${name}: ${command}\n    ${(error as Error).message}`);
        });
      }
    }
  }
  assert.ok(count > 3, `found ${count}`);
  assert.deepEqual(wrong, []);
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
