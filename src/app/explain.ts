import type { CommandTable, LooseArguments } from '../core/command.js';
import { type Failure, ignoreFailure, type Situation } from '../core/failure.js';
import { loginArgument, remedyAt } from '../core/login-command.js';
import type { ProgramsWithServers } from '../core/ports.js';
import type { IndexDocument, LoginRecord } from '../core/records.js';
import { counted, printable, shellWord } from '../core/text/printable.js';
import { ciOf } from '../login/browser/browser-availability.js';
import { situationOf } from '../login/given/given-options.js';
import { unusedToken } from '../stores/environment-token.js';
import type { World } from './context.js';
import { lineMeant } from './wrong-command-line.js';

/** The parts of the failed command line that could be parsed. */
export interface FailedLine {
  readonly argv: readonly string[];
  readonly table: CommandTable | undefined;
  readonly args: LooseArguments;
  readonly known: () => Known;
}

/** What to do about a failure of this command line: the remedy first, then other ways. */
export async function explain(
  failure: Failure,
  { argv, table, args, known }: FailedLine,
  { env, tokenGiven }: Pick<World, 'env' | 'tokenGiven'>,
): Promise<readonly string[]> {
  const { typo, example } = failure.detail;
  if (failure.code === 'word_missing' && table !== undefined) return await waysToGo(table, example, known());
  const meant = typo && lineMeant(typo, argv, table);
  if (meant !== undefined) return [meant];
  const asked = asking.has(table?.name ?? '') && typeof args['server'] === 'string' ? args['server'] : undefined;
  const given = table?.name === 'login' ? args : { server: args['server'], account: args['account'] };
  const typed = isOther(args) ? situationOf({}, env) : situationOf(given, env);
  const situation: Situation = { ...typed, job: jobOf(table, args, env) };
  const remedy = remedyAt(failure, asked, situation);
  const unused = failure.code === 'login_needed' ? unusedToken(tokenGiven) : undefined;
  return [unused === undefined ? remedy : `${unused} ${remedy}`];
}

/** Commands that fail because of a server or its authorization server. */
const asking: ReadonlySet<string> = new Set(['login', 'call', 'shell', 'request', 'bridge', 'proxy']);

/** Does the word name a server of another program, or a program after “--”? */
function isOther({ from, command }: LooseArguments): boolean {
  return from !== undefined || (Array.isArray(command) && command.length > 0);
}

/** In CI, and where variables name a client to log in as. */
function jobOf(
  table: CommandTable | undefined,
  { clientCredentials }: LooseArguments,
  env: World['env'],
): Situation['job'] {
  const isAble =
    table?.options.some(({ name }) => name === 'client-credentials') === true && clientCredentials !== true;
  const takesClient = isAble && table?.name !== 'login';
  const isJob = ciOf(env) !== undefined || (takesClient && Boolean(env['POSTERN_CLIENT_ID']));
  return isJob ? (takesClient ? 'takes a client' : 'takes none') : undefined;
}

/** What this machine knows that a missing word could be. */
interface Known {
  readonly index: { readonly read: () => Promise<Pick<IndexDocument, 'logins'>> };
  readonly programsWithServers: ProgramsWithServers;
}

/** As many names as one line has room for. */
const shownLogins = 5;

/** What to type for a missing word: a line that works, and candidates. @param own Replaces the command's first example. */
async function waysToGo(
  { name, examples = [] }: CommandTable,
  own: string | undefined,
  { index, programsWithServers }: Known,
): Promise<readonly string[]> {
  const { logins } = (await index.read().catch(ignoreFailure)) ?? { logins: [] };
  const example = own ?? examples.find(({ command }) => command.startsWith('postern '))?.command;
  const isLogin = name === 'login';
  const takesLogin = example !== undefined && ofLogin.test(example);
  const found = isLogin ? ((await programsWithServers(logins).catch(ignoreFailure)) ?? []) : [];
  const [first] = logins;
  const named = isLogin || first === undefined ? example : example?.replace(ofLogin, () => loginArgument(first));
  const lines =
    takesLogin && !isLogin && first === undefined
      ? ['No logins yet. Make one with: postern login https://example.com/mcp --name work', `Then: ${example}`]
      : named === undefined
        ? []
        : [`For example: ${printable(named, 300)}`];
  return [
    ...lines,
    ...found
      .slice(0, 3)
      .map((one) => `${one.title} knows ${counted(one.count, 'server')}: postern login --from ${one.name}`),
    ...(takesLogin ? namesOf(logins) : []),
    `More: postern ${name} --help`,
  ];
}

/** The login in an example. */
const ofLogin = /(?<= )work\b/;

function namesOf(logins: readonly LoginRecord[]): readonly string[] {
  if (logins.length === 0) return [];
  const all = [...new Set(logins.map(({ name, server }) => printable(shellWord(name ?? server), 80)))];
  const more = all.length - shownLogins;
  return [`Your logins: ${all.slice(0, shownLogins).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
