import type { ArgumentsOf, Command, CommandOutput, CommandTable } from '../../core/command.js';
import { redirectUriText } from '../../core/configuration/redirect-uri.js';
import { exitCode, Failure } from '../../core/failure.js';
import type { ClientKeyRecord, FormatFailure, IndexDocument, LoginRecord } from '../../core/records.js';
import { fitted, readerLook } from '../../core/text/layout.js';
import { printable } from '../../core/text/printable.js';
import { removeOrphans } from '../../stores/orphans.js';
import { originText } from '../../tokens/credential-target.js';
import { isDefaultLogin, loginsCalled } from '../../tokens/find-login.js';
import { chosenRedirectUri } from '../../tokens/registrations.js';
import type { LoginPorts } from '../ports.js';
import { clientKeyJson, clientKeyLines, orphanLines } from '../render.js';
import type { CheckedLogin, CheckWorld } from './check-logins.js';
import { failureJson, failureLines } from './failure-lines.js';
import {
  checkedJson,
  type LabelledRow,
  type LoginStatus,
  loginJson,
  loginLines,
  loginStatus,
  needsPerson,
  okInWords,
} from './login-status.js';
import { type ProviderStatus, providerJson, providerLine, providerLines, providerStatuses } from './provider-status.js';
import { rowOf, type TableLook, tableOf } from './status-table.js';

export const statusTable = {
  name: 'status',
  environmentToken: true,
  aliases: ['list', 'ls'],
  group: 'log-in',
  summary: 'show every login, and its state',
  positionals: [
    { name: 'server', describe: 'the name of a login, or its server’s URL; every login without', required: false },
  ],
  options: [
    { name: 'long', alias: 'l', kind: 'boolean', describe: 'all that is known of each: scopes, issuer, client, store' },
    {
      name: 'check',
      kind: 'boolean',
      describe: 'ask each server now whether it takes the login; no browser is opened',
    },
  ],
  examples: [
    { command: 'postern status', describe: 'one line for each login' },
    { command: 'postern status work -l', describe: 'all that is known of one' },
    { command: 'postern status --check', describe: 'ask every server now' },
  ],
  terms: {
    title: 'States',
    rows: [
      ['ok, 52 min', 'it can be used, for that long; in a pipe, until that time'],
      ['ok, …, then log in', 'the same, but nothing refreshes it after that'],
      ['refreshes by itself', 'its token has run out, and the next use gets another one'],
      ['expired, refused, ended', 'only a person can log in again; where a login was named, that is exit 3'],
      ['ok, 80 ms, 12 tools', 'with --check: the server took it; how many tools it has, where that is known'],
      ['login needed, refused', 'with --check: the server did not take it; exit 3'],
      ['not reachable', 'with --check: no answer; exit 6'],
    ],
  },
  notes: [
    '* marks the account in use where a server has several. To use another, run postern switch with its name.',
    '--check asks 8 servers at a time, each for 15 s at most, with a valid token, which is refreshed where it has to be; nobody is asked to log in. Where no ID token says whose login it is, a tool such as whoami is called, if the server marks one read-only.',
  ],
  seeAlso: ['stores'],
} as const satisfies CommandTable;

interface World
  extends CommandOutput,
    CheckWorld,
    Pick<LoginPorts, 'index' | 'stores' | 'recovery' | 'failures' | 'locks' | 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Arguments = ArgumentsOf<typeof statusTable>;

/** One login, and all that is to be shown of it. */
interface ShownLogin {
  readonly status: LoginStatus;
  readonly isDefault: boolean;
  readonly checked: CheckedLogin | undefined;
  /** The redirect URI that was chosen at its authorization server; undefined: the usual one. */
  readonly redirectUri: string | undefined;
}

/** What there is to show. */
interface Found {
  readonly logins: readonly ShownLogin[];
  readonly clientKeys: readonly ClientKeyRecord[];
  readonly providers: readonly ProviderStatus[];
  readonly failures: readonly FormatFailure[];
}

export const command: Command<typeof statusTable, World> = {
  table: statusTable,
  async run(world, args) {
    const { out, tell } = world;
    const unseen = await adopted(world);
    const checked = args.check ? await checkAll(world, args) : undefined;
    const found = await find(world, args, checked);
    if (unseen !== undefined) tell(`Note: logins that machines share may be missing. ${unseen.message}`);
    const kept = await removeOrphans(world, () => true, world.signal);
    if (world.json) await out.json(statusJson(found, world.clock.now()));
    else await print(world, args, found);
    for (const line of orphanLines(kept)) tell(line);
    if (checked !== undefined) return (await import('./check-logins.js')).exitAfter(checked.values());
    return args.server !== undefined && found.logins.some(({ status }) => needsPerson(status))
      ? exitCode.loginNeeded
      : 0;
  },
};

/** Takes in what other machines have done; why it could not. */
async function adopted({ index }: Pick<World, 'index'>): Promise<Failure | undefined> {
  try {
    await index.adopt?.();
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.exit === exitCode.store) return error;
    throw error;
  }
}

/** What each server says, by the key of its login. */
async function checkAll(world: World, { server }: Arguments): Promise<ReadonlyMap<string, CheckedLogin>> {
  const { checkLogins } = await import('./check-logins.js');
  const { logins } = await world.index.read();
  const asked = server === undefined ? logins : loginsCalled(logins, server);
  const checked = await checkLogins(world, asked, ({ identity }) => identity === undefined);
  return new Map([...checked].map(([{ key }, one]) => [key, one]));
}

/** @throws Failure `login_needed` where none is called so */
async function find(
  world: World,
  { server }: Arguments,
  checked: ReadonlyMap<string, CheckedLogin> | undefined,
): Promise<Found> {
  const document = await world.index.read();
  const { logins, clientKeys = [], providers = [] } = document;
  const shown = server === undefined ? logins : loginsCalled(logins, server);
  const origins = server === undefined ? undefined : shown.map((login) => originText(login.server));
  const now = world.clock.now();
  return {
    logins: await Promise.all(
      shown.map(async (login) => ({
        status: loginStatus(login, now, providers),
        isDefault: isDefaultLogin(logins, login),
        checked: checked?.get(login.key),
        redirectUri: redirectUriOf(document, login),
      })),
    ),
    clientKeys: server === undefined ? clientKeys : [],
    providers: providerStatuses(logins, providers).filter(
      (one) => server === undefined || one.logins.some((login) => shown.includes(login)),
    ),
    failures: (await world.failures.read()).filter(({ origin }) => origins?.includes(origin) !== false),
  };
}

/** What its next login is sent to, where a person has chosen that. */
function redirectUriOf(document: IndexDocument, { issuer, grant, store }: LoginRecord): string | undefined {
  const isByPerson = grant === undefined && store !== 'environment';
  const chosen = isByPerson ? chosenRedirectUri(document, issuer) : undefined;
  return chosen && redirectUriText(chosen);
}

function statusJson({ logins, clientKeys, providers, failures }: Found, now: number) {
  return {
    logins: logins.map(({ status, isDefault, checked, redirectUri = null }) => ({
      ...loginJson(status),
      isDefault,
      redirectUri,
      check: checkedJson(checked),
    })),
    clientKeys: clientKeys.map(clientKeyJson),
    providers: providers.map((one) => providerJson(one, now)),
    failures: failures.map(failureJson),
  };
}

async function print(world: World, { long }: Arguments, found: Found): Promise<void> {
  const { out, look } = world;
  const { logins, clientKeys, providers, failures } = found;
  const now = world.clock.now();
  const blocks = [
    ...(long
      ? logins.map(({ status, checked, redirectUri }) => {
          const chosen = ['redirect', redirectUri && `${redirectUri} (--redirect-uri)`] as const;
          return loginLines(status, now, look, [chosen, ...checkedRows(checked)]);
        })
      : shortBlocks(world, logins)),
    ...(long
      ? providers.map((one) => providerLines(one, now, look))
      : [providers.map((one) => providerLine(one, now))].filter((lines) => lines.length > 0 && out.isTerminal)),
    ...(long ? clientKeys.map(clientKeyLines) : []),
    ...(failures.length === 0
      ? []
      : [failureLines(failures, now).flatMap((line) => fitted(line, readerLook(world).width))]),
  ];
  if (logins.length === 0) world.tell('No logins yet. Make one with: postern login URL');
  if (blocks.length > 0) await out.line(blocks.map((lines) => lines.join('\n')).join('\n\n'));
}

function shortBlocks({ out, look, clock }: World, logins: readonly ShownLogin[]): readonly (readonly string[])[] {
  const table = { look, isTerminal: out.isTerminal };
  const now = clock.now();
  const [lines, commands] = tableOf(
    table,
    logins.map((one) => rowOf(table, { ...one, now })),
  );
  const causes = logins.flatMap(({ status: { login }, checked }) => causeLines(table, login, checked));
  return [lines, commands, causes].filter(({ length }) => length > 0);
}

/** Why a login that was asked about is not taken, and what to do. */
function causeLines(
  { look, isTerminal }: TableLook,
  login: LoginRecord,
  checked: CheckedLogin | undefined,
): readonly string[] {
  const { failure } = checked ?? {};
  if (failure === undefined) return [];
  const line = printable(`${login.name ?? login.server}: ${failure.message} ${failure.remedy}`, 2000);
  return isTerminal ? fitted(line, look.width) : [line];
}

function checkedRows(checked: CheckedLogin | undefined): readonly LabelledRow[] {
  if (checked === undefined) return [];
  const { state, failure, says } = checked;
  return [
    ['asked now', failure === undefined ? okInWords(checked) : `${state.replace('_', ' ')}: ${failure.message}`],
    ['to do', failure?.remedy],
    ['server says', says],
  ];
}
