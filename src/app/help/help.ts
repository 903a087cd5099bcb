import type { CommandTable } from '../../core/command.js';
import { usageMistyped, usageWrong } from '../../core/failures.js';
import type { Clock } from '../../core/ports.js';
import type { IndexDocument, LoginRecord } from '../../core/records.js';
import { closest } from '../../core/text/closest.js';
import { cutInside, cutTo, inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, quoted, shellWord } from '../../core/text/printable.js';
import { type LoginStatus, loginStatus, needsPerson } from '../../login/status/login-status.js';
import { blocksOf, type Row, section } from './blocks.js';
import { commandHelp, overview, product } from './command-help.js';
import { ownTables } from './own-tables.js';
import { linesOf, usageLines } from './screen.js';
import { readTopic, topicNames } from './topics.js';

/** What a command line that runs no command asks for. */
export type Asked =
  /** The help of a command; without one, of all. */
  | { readonly kind: 'help'; readonly of: CommandTable | undefined }
  /** What `postern help` is asked to explain: a topic, or a word that was mistyped. */
  | { readonly kind: 'topic'; readonly name: string }
  /** The version, or what a shell completes by. */
  | { readonly kind: 'text'; readonly text: string };

/**
 * What is printed for a command line that runs no command: help, a topic, the version.
 * @throws Failure `usage_wrong` for a topic that there is not
 */
export function explain(look: Look, asked: Asked, commands: readonly CommandTable[]): string {
  if (asked.kind === 'text') return asked.text;
  const tables = [...commands, ...ownTables];
  if (asked.kind === 'help') {
    if (asked.of !== undefined) return textOf(commandHelp(look, asked.of));
    return textOf([...usageLines(look, 'postern <command> [options]'), '', ...linesOf(look, overview(tables))]);
  }
  if (topicNames.includes(asked.name)) {
    const { summary, text } = readTopic(asked.name, tables);
    return textOf([...linesOf(look, [{ kind: 'heading', text: summary }]), '', ...linesOf(look, blocksOf(text))]);
  }
  const message = `There is no command and no topic ${quoted(asked.name, 80)}.`;
  const meant = closest(asked.name, [...tables.flatMap(({ name, aliases = [] }) => [name, ...aliases]), ...topicNames]);
  throw meant === undefined ? usageWrong(message, 'postern --help') : usageMistyped(message, `postern help ${meant}`);
}

/** What `postern` alone prints. A list of logins that cannot be read is no reason to fail. */
export async function greet(
  look: Look,
  world: () => {
    readonly index: { readonly read: () => Promise<Pick<IndexDocument, 'logins' | 'providers'>> };
    readonly clock: Pick<Clock, 'now'>;
  },
): Promise<string> {
  const { index, clock } = world();
  const logins = await index.read().then(
    ({ logins: all, providers }) => all.map((login) => loginStatus(login, clock.now(), providers)),
    () => undefined,
  );
  return textOf(welcome(look, logins));
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** As many logins as fit into a small terminal with the rest. */
const shownLogins = 10;

/**
 * What `postern` alone prints: what there is, and what to type next.
 * @param logins Undefined where the list of them cannot be read.
 */
export function welcome(look: Look, logins: readonly LoginStatus[] | undefined): readonly string[] {
  return [
    ...wrapped(product, look.width),
    '',
    ...(logins === undefined || logins.length === 0 ? beginning(look, logins) : going(look, logins)),
    '',
    ...wrapped(`All commands: ${toned(look, 'name', 'postern --help')}`, look.width),
  ];
}

function beginning(look: Look, logins: readonly LoginStatus[] | undefined): readonly string[] {
  if (logins === undefined) {
    return linesOf(
      look,
      section('The list of your logins cannot be read', 'examples', [['postern status', 'say why']]),
    );
  }
  return linesOf(
    look,
    section('No logins yet', 'examples', [
      ['postern login https://example.com/mcp', 'log in to a server, in the browser'],
      ['postern setup --list', 'your programs that can use a login'],
      ['postern sandbox', 'a server to try it with, here'],
    ]),
  );
}

function going(look: Look, statuses: readonly LoginStatus[]): readonly string[] {
  const rows = statuses.slice(0, shownLogins).map((status) => {
    const { name, server } = status.login;
    const address = printable(server.replace(/^https:\/\//, ''), 200);
    const title = name === undefined ? cutInside(36, address) : cutTo(look.width - 2, printable(name, 200));
    const state = needsPerson(status) ? toned(look, 'warning', 'needs a new login') : '';
    return [toned(look, 'name', title), name === undefined ? '' : address, state];
  });
  const more = statuses.length - shownLogins;
  const ended = statuses.filter(needsPerson);
  const [first] = statuses.filter((one) => !needsPerson(one));
  const again = (count: number, remedy = ''): Row =>
    count === 1
      ? [printable(remedy, 2000), 'log in again']
      : ['postern login --expired', `log in again to the ${count} that need it`];
  return [
    ...linesOf(look, [{ kind: 'heading', text: 'Your logins' }]),
    ...inColumnsOrStacked({ ...look, width: look.width - 2 }, rows).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more: postern status`] : []),
    '',
    ...linesOf(
      look,
      section('Next', 'examples', [
        ...ended.slice(0, 1).map(({ remedy }) => again(ended.length, remedy)),
        ...(first === undefined ? [] : [[`postern call ${nameOf(first.login)}`, 'its tools'] as const]),
        ['postern setup --list', 'programs that can use a login'],
        ['postern status', 'until when each login is valid'],
        ['postern login https://example.com/mcp', 'log in to another server'],
      ]),
    ),
  ];
}

/** What every command takes for this login. */
function nameOf({ name, server }: LoginRecord): string {
  return shellWord(printable(name ?? server, 200));
}
