import type { CommandTable } from '../../core/command.js';
import { usageMistyped, usageWrong } from '../../core/failures.js';
import { loginArgument } from '../../core/login-command.js';
import type { Clock } from '../../core/ports.js';
import type { IndexDocument } from '../../core/records.js';
import { closest } from '../../core/text/closest.js';
import { wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, quoted } from '../../core/text/printable.js';
import { type LoginStatus, loginStatus, needsPerson } from '../../login/status/login-status.js';
import { statusBlocks } from '../../login/status/status-table.js';
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
    const { summary, text } = readTopic(asked.name);
    return textOf([...linesOf(look, [{ kind: 'heading', text: summary }]), '', ...linesOf(look, blocksOf(text))]);
  }
  const message = `There is no command and no topic ${quoted(asked.name, 80)}.`;
  const meant = closest(asked.name, [...tables.flatMap(({ name, aliases = [] }) => [name, ...aliases]), ...topicNames]);
  throw meant === undefined ? usageWrong(message, 'postern --help') : usageMistyped(message, `postern help ${meant}`);
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** As many logins as fit into a small terminal with the rest. */
const shownLogins = 10;

/** What `postern` alone prints: what exists, and what to type next. An unreadable list of logins is no failure. */
export async function greet(
  look: Look,
  world: () => {
    readonly index: { readonly read: () => Promise<Pick<IndexDocument, 'logins' | 'providers'>> };
    readonly clock: Pick<Clock, 'now'>;
  },
): Promise<string> {
  const { index, clock } = world();
  const read = await index.read().catch(() => undefined);
  const logins = read?.logins.map((login) => loginStatus(login, clock.now(), read.providers));
  return textOf([
    ...wrapped(product, look.width),
    '',
    ...stateOf(look, logins, clock),
    '',
    ...wrapped(`All commands: ${toned(look, 'name', 'postern --help')}`, look.width),
  ]);
}

function stateOf(look: Look, logins: readonly LoginStatus[] | undefined, clock: Pick<Clock, 'now'>): readonly string[] {
  const commands = (title: string, rows: readonly Row[]) => linesOf(look, section(title, 'examples', rows));
  if (logins === undefined) return commands('The list of your logins cannot be read', [['postern status', 'say why']]);
  if (logins.length === 0) {
    return commands('No logins yet', [
      ['postern login https://example.com/mcp', 'log in to a server, in the browser'],
      ['postern setup --list', 'your programs that can use a login'],
      ['postern sandbox', 'a server to try it with, here'],
    ]);
  }
  const shown = logins.slice(0, shownLogins).map((status) => ({ status, isDefault: false, checked: undefined }));
  const more = logins.length - shown.length;
  const usable = logins.find((one) => !needsPerson(one))?.login;
  return [
    ...statusBlocks({ out: { isTerminal: true }, look }, shown, clock.now()).flatMap((lines) =>
      lines.length === 0 ? [] : [...lines, ''],
    ),
    ...(more > 0 ? [`And ${more} more: postern status`, ''] : []),
    ...commands('Next', [
      ...(usable === undefined
        ? []
        : [[`postern call ${printable(loginArgument(usable), 200)}`, 'its tools'] as const]),
      ['postern setup --list', 'programs that can use a login'],
      ['postern login https://example.com/mcp', 'log in to another server'],
    ]),
  ];
}
