import type { CommandTable, LooseArguments, OptionSpec } from '../core/command.js';
import { type Failure, isFailure } from '../core/failure.js';
import { visibleUrl } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import { printable, quoted, shellWord } from '../core/text/printable.js';
import { usageContradictory, usageMistyped, usageWrong, wordMissing } from '../core/usage-failures.js';
import { ciOf } from '../login/browser/browser-availability.js';
import { noChoice, optionsOf } from './arguments.js';

/** What yargs would swallow, or name after what is missing: options that none is called, and a word as the value of a switch. */
export function refuseOdd(words: readonly string[], table: CommandTable | undefined): void {
  const specs = optionsOf(table);
  const taken = ['_', '$0', ...(table?.positionals ?? []).map(({ name }) => name)];
  const unknown = table && unknownIn(words, specs);
  if (unknown !== undefined) throw unknownOption(unknown, specs, table);
  const end = words.indexOf('--');
  for (const word of words.slice(0, end === -1 ? undefined : end)) {
    const [, name = '', value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    const spec = specs.find((one) => one.name === name);
    if (spec === undefined && taken.includes(name)) throw unknownOption(word, specs, table);
    if (spec?.kind === 'boolean' && value !== undefined) throw usageWrong(`--${name} takes no value.`, helpOn(table));
  }
}

function helpOn(table: CommandTable | undefined): string {
  return table === undefined ? 'postern --help' : `postern ${table.name} --help`;
}

/** A word that is no command: a slip of the finger, a login's name, or what another program calls it. */
export function unknownCommand(word: string, tables: readonly CommandTable[], logins: readonly string[]): Failure {
  const message = `There is no command ${quoted(word, 80)}.`;
  if (logins.includes(word))
    return usageMistyped(message, `postern call ${shellWord(word)}`, { typed: word, meant: word, command: ['call'] });
  const names = tables.filter(({ hidden }) => hidden !== true).flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const meant = closest(word, names) ?? elsewhere.get(word);
  return meant === undefined
    ? usageWrong(message, 'postern --help')
    : usageMistyped(message, `postern ${meant}`, { typed: word, meant });
}

/** What gh, mcpc, mcporter and others call a command of ours. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['auth', 'login'],
  ['connect', 'login'],
  ['signin', 'login'],
  ['remove', 'logout'],
  ['revoke', 'logout'],
  ['signout', 'logout'],
  ['tools', 'call'],
  ['use', 'switch'],
  ['run', 'exec'],
]);

/** What yargs found wrong, as a failure of ours: what was typed, and what was meant. */
export function failureOf(message: string, words: readonly string[], table: CommandTable | undefined): Failure {
  const help = helpOn(table);
  const specs = optionsOf(table);
  const said = (pattern: RegExp) => pattern.exec(message)?.slice(1);
  const [unknown] = said(/^Unknown (?:argument|command)s?: (.+?)(?:, .*)?$/s) ?? [];
  if (unknown !== undefined) {
    const option = unknownIn(words, specs);
    if (option !== undefined) return unknownOption(option, specs, table);
    return table === undefined ? usageWrong(printable(message, 300), help) : furtherWord(table, unknown, words, help);
  }
  const [empty] = said(/^Not enough arguments following: (.+)$/) ?? [];
  if (empty !== undefined) {
    const spec = specs.find((one) => one.name === empty || one.alias === empty);
    return usageWrong(`--${spec?.name ?? empty} needs a value.`, help);
  }
  const [one, other] = said(/^Arguments (.+) and (.+) are mutually exclusive$/) ?? [];
  if (one !== undefined) return usageContradictory(`--${one}`, `--${other}`, help);
  const [count] = said(/^Not enough non-option arguments: got (\d+)/) ?? [];
  const missing = table?.positionals[Number(count)];
  if (missing !== undefined) {
    const noun = missing.name === 'url' ? 'URL' : missing.name;
    const what = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}: ${missing.describe.replace(/ \(below\)$/, '')}`;
    return wordMissing(`postern ${table?.name} needs ${what}.`, table?.name ?? '');
  }
  const [option, given] = said(/Argument: (.+), Given: "(.*)", Choices: /s) ?? [];
  const spec = specs.find(({ name }) => name === option);
  if (spec !== undefined && given !== undefined) return noChoice(spec, `--${spec.name}`, given, help);
  return usageWrong(printable(message, 300), help);
}

/**
 * What ended a command, where a word on its line was mistyped, with the whole line to type instead. The value of an option or
 * of a tool's argument may be a secret, and is not shown.
 */
export function withLineMeant(error: unknown, argv: readonly string[], table: CommandTable | undefined): unknown {
  const { typed = '', meant = '', command } = (isFailure(error) && error.typo) || {};
  if (!isFailure(error) || !/^[\w-][\w ./=-]{0,200}$/.test(meant)) return error;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isHidden = (index: number, option = argv[index - 1]) => index < end && hidesValue(option, table);
  const [at, another] = argv.flatMap((word, index) => (nameIn(word) === typed && !isHidden(index) ? index : []));
  if (at === undefined || another !== undefined) return error;
  // `--text hello`, where the tool is to be given text=hello.
  const isDashed = typed.startsWith('--') && !meant.startsWith('-');
  const isApart = isDashed && argv[at] === typed && argv[at + 1]?.startsWith('-') === false;
  const words = argv.flatMap((word, index) => {
    if (index === at + 1 && isApart) return [];
    if (index !== at)
      return !isHidden(index, index - 1 === at ? meant : undefined) || isAddress(word) ? shownWord(word) : '…';
    const rest = isDashed ? '=' : word.slice(typed.length);
    const value = meant.includes('=') ? '' : rest.replace(/^(:?=).*$/s, '$1…');
    return [...(command ?? []), `${shellWord(meant)}${value}`, ...toolIn(typed, meant, table)];
  });
  const said = [...(command ?? []), meant].join(' ');
  return error.withRemedy(`Did you mean ${quoted(said)}? Run: postern ${words.join(' ')}`);
}

/** A word that somebody has typed, in a line that is to be typed again. */
function shownWord(word: string): string {
  const [, name, equals] = /^([\w.-]{1,40})(:?=)/.exec(word) ?? [];
  if (name !== undefined) return `${name}${equals}…`;
  return isAddress(word) || /^[\w./-]{1,40}$/.test(word) ? shellWord(word) : '…';
}

/** One that holds nothing that is not shown: such as an issuer, the value of an option. */
function isAddress(word: string): boolean {
  return /^https?:/i.test(word) && word.length <= 200 && visibleUrl(word) === word;
}

/** Of an option, or a tool's argument, with its value. */
function nameIn(word: string): string {
  return /^(-{0,2}[\w.-]+?):?=/.exec(word)?.[1] ?? word;
}

/** Is it an option whose value is the next word, and not one of a few choices, or a number? */
function hidesValue(word: string | undefined, table: CommandTable | undefined): boolean {
  if (word === undefined || !/^-./.test(word) || word === '--' || word.includes('=')) return false;
  const isOpen = (spec: OptionSpec) => !(spec.kind === 'boolean' || spec.kind === 'number' || 'choices' in spec);
  return (
    unknownIn(
      [word],
      optionsOf(table).filter((spec) => !isOpen(spec)),
    ) !== undefined
  );
}

/**
 * A remedy for SERVER with the server that the person has named: it can be copied then. Not where that may be another
 * one, or its address should not be shown.
 */
export function withServerNamed(error: unknown, { server, from, command }: LooseArguments): unknown {
  const isNamed = typeof server === 'string' && from === undefined && (!Array.isArray(command) || command.length === 0);
  if (!isFailure(error) || !isNamed || !placeholder.test(error.remedy)) return error;
  if (server.length > 200 || visibleUrl(server) !== server) return error;
  return error.withRemedy(error.remedy.replace(new RegExp(placeholder, 'g'), () => shellWord(server)));
}

/** A word of its own, which a shell takes as it stands: “<server>” would be read from a file. */
const placeholder = /(?<= )SERVER(?![\w=-])/;

/**
 * A remedy for a job, where a person would have to come. One that has a client in its variables can log in as that at once,
 * at a server that it named by its address, as such a login is not kept. In CI each way is said.
 */
export function withWaysOfJobs(
  error: unknown,
  { name: command, options }: CommandTable,
  { server, url, clientCredentials }: LooseArguments,
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  const [, toLogIn] = (isFailure(error, 'login_needed') && /^Run: (postern login .+)$/s.exec(error.remedy)) || [];
  const isAble = options.some(({ name }) => name === 'client-credentials') && clientCredentials !== true;
  const isAddress = [server, url].some((word) => typeof word === 'string' && /^https?:\/\//i.test(word));
  if (isFailure(error) && toLogIn !== undefined && isAble && isAddress && env['POSTERN_CLIENT_ID']) {
    const issuer = env['POSTERN_AUTHORIZATION_SERVER'] ? '' : ' --authorization-server ISSUER';
    return error.withRemedy(
      `To log in as the client of POSTERN_CLIENT_ID, add --client-credentials${issuer}. As a person: ${toLogIn}`,
    );
  }
  if (ciOf(env) === undefined || !isFailure(error, 'login_needed', 'login_needs_person')) return error;
  const option = isAble && command !== 'login' ? ' add --client-credentials,' : '';
  const run = `${/postern login [^\s;]+/.exec(error.remedy)?.[0] ?? 'postern login URL'} --client-credentials`;
  const byPerson = error.code === 'login_needed' ? '' : `${error.remedy.replace(/\.$/, '')}. `;
  return error.withRemedy(`${byPerson}In CI, set POSTERN_TOKEN,${option} or run: ${run}. See: postern help machines`);
}

/** The tool that stands with its server in one word, as in `work.echo`, where the command takes one. */
function toolIn(typed: string, server: string, table: CommandTable | undefined): readonly string[] {
  const [, tool] = /^@?[^.]+\.([\w-]+)$/.exec(typed) ?? [];
  const takesTool = table?.positionals.some(({ name }) => name === 'method') === true;
  const isTaken = takesTool && typed.replace(/^@/, '').startsWith(`${server}.`);
  return isTaken && tool !== undefined ? [tool] : [];
}

/** The first option that none is called, as it was typed. */
function unknownIn(words: readonly string[], specs: readonly OptionSpec[]): string | undefined {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).find((word) => {
    const [, name, letters = ''] = /^--([^=]+)|^-([^-].*)$/s.exec(word) ?? [];
    if (name !== undefined) return specs.every((spec) => spec.name !== name);
    if (/^[.\d]/.test(letters)) return false; // a number below zero
    return [...letters].slice(0, 1).some((letter) => specs.every(({ alias }) => alias !== letter));
  });
}

function unknownOption(word: string, specs: readonly OptionSpec[], table: CommandTable | undefined): Failure {
  const typed = word.replace(/=.*$/s, '');
  const name = typed.replace(/^-+/, '');
  const names = specs.map((spec) => spec.name);
  const meant = typed === '-V' ? 'version' : closest(name, names);
  const message = `There is no option ${quoted(typed, 80)} here.`;
  if (meant !== undefined) return usageMistyped(message, `--${meant}`, { typed, meant: `--${meant}` });
  // What a tool is given has no dashes, which other programs have there. Its value may be a secret, and is not shown.
  if (table?.positionals.some((one) => one.name === 'arguments') === true && typed.startsWith('--')) {
    return usageMistyped(message, `${shellWord(name)}=…`, { typed, meant: name });
  }
  return usageWrong(message, helpOn(table));
}

function furtherWord(table: CommandTable, word: string, words: readonly string[], help: string): Failure {
  if (table.rest === undefined) return usageWrong(`${quoted(word, 80)} is one word too many here.`, help);
  const given = words.slice(0, words.indexOf(word)).filter((one) => one !== table.name);
  const isPlain = given.length === table.positionals.length && given.every((one) => /^\w[\w./:-]*$/.test(one));
  const before = (isPlain ? given : table.positionals.map(({ name }) => `<${name}>`)).join(' ');
  const meant = `postern ${table.name} ${before} -- ${printable(shellWord(word), 80)}`;
  return usageMistyped(`The ${table.rest.name} goes after “--”.`, meant);
}
