import type { CommandTable } from '../../core/command.js';
import type { Clock } from '../../core/ports.js';
import type { IndexDocument } from '../../core/records.js';
import { closest } from '../../core/text/closest.js';
import type { Look } from '../../core/text/look.js';
import { quoted } from '../../core/text/printable.js';
import { usageMistyped, usageWrong } from '../../core/usage-failures.js';
import { loginStatus } from '../../login/status/login-status.js';
import { blocksOf } from './blocks.js';
import { commandHelp } from './command-help.js';
import { overview } from './overview.js';
import { ownTables } from './own-tables.js';
import { linesOf, usageLines } from './screen.js';
import { readTopic, topicNames } from './topics.js';
import { welcome } from './welcome.js';

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
