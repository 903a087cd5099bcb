import type { CommandTable } from '../../core/command.js';
import { ignoreFailure } from '../../core/failure.js';
import { loginArgument } from '../../core/login-command.js';
import type { ProgramsWithServers } from '../../core/ports.js';
import type { IndexDocument, LoginRecord } from '../../core/records.js';
import { counted, printable, shellWord } from '../../core/text/printable.js';

/** What there is on this machine that a word could be. */
export interface Known {
  readonly index: { readonly read: () => Promise<Pick<IndexDocument, 'logins'>> };
  readonly programsWithServers: ProgramsWithServers;
}

/** As many names as one line has room for. */
const shownLogins = 5;

/** What else there is to know, in a line that ends with a command. */
const alsoThere: Readonly<Record<string, readonly string[]>> = {
  setup: ['Every program: postern setup --list --all'],
  config: ['Every setting: postern config'],
};

/** Commands that do something to a login, and nothing where there is none. */
const changing: ReadonlySet<string> = new Set(['logout', 'rename', 'switch']);

/**
 * What to type where a word is missing: a line that works, and candidates for the word. @param example Replaces the
 * command's first one.
 */
export async function waysToGo(
  table: CommandTable,
  example: string | undefined,
  known: Known,
): Promise<readonly string[]> {
  const { logins } = (await known.index.read().catch(ignoreFailure)) ?? { logins: [] };
  return [
    ...(await linesFor(table, example, logins, known)),
    ...(alsoThere[table.name] ?? []),
    `More: postern ${table.name} --help`,
  ];
}

async function linesFor(
  { name, examples = [] }: CommandTable,
  own: string | undefined,
  logins: readonly LoginRecord[],
  { programsWithServers }: Known,
): Promise<readonly string[]> {
  const example = own ?? examples.find(({ command }) => command.startsWith('postern '))?.command;
  if (name === 'login') {
    const found = (await programsWithServers(logins).catch(ignoreFailure)) ?? [];
    const theirs = found.map(
      ({ name: program, title, count }) =>
        `${title} knows ${counted(count, 'server')}: postern login --from ${program}`,
    );
    return [`For example: ${example}`, ...theirs.slice(0, 3), ...namesOf(logins)];
  }
  if (example === undefined) return [];
  if (!ofLogin.test(example)) return [`For example: ${example}`];
  const [first] = logins;
  if (first === undefined) {
    const then = changing.has(name) ? [] : [`Then: ${example}`];
    return ['No logins yet. Make one with: postern login https://example.com/mcp --name work', ...then];
  }
  const named = example.replace(ofLogin, () => printable(loginArgument(first), 200));
  return [`For example: ${named}`, ...namesOf(logins)];
}

/** The login in an example. */
const ofLogin = /(?<= )work\b/;

function namesOf(logins: readonly LoginRecord[]): readonly string[] {
  if (logins.length === 0) return [];
  const all = [...new Set(logins.map(({ name, server }) => printable(shellWord(name ?? server), 80)))];
  const names = all.slice(0, shownLogins);
  const more = all.length - names.length;
  return [`Your logins: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
