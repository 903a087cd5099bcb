import type { ArgumentsOf, Command, CommandOutput } from '../../core/command.js';
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
import { clientKeyJson, clientKeyLines, inWords, orphanLines } from '../render.js';
import type { CheckedLogin, CheckWorld } from './check-logins.js';
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
import { statusTable } from './logins.options.js';
import { type ProviderStatus, providerJson, providerLine, providerLines, providerStatuses } from './provider-status.js';
import { rowOf, type TableLook, tableOf } from './status-table.js';

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

/** What is wrong with the words, or the input, that `postern credential` was called with. */
const wrongCalls: ReadonlySet<string> = new Set([
  'usage',
  'usage_wrong',
  'word_missing',
  'server_unusable',
  'request_unusable',
  'output_unusable',
]);

/**
 * What other programs asked for in vain, a line each, and how to see why: such programs mostly hide what we print, and a
 * helper that is called with the wrong words need not be an entry of ours. `now` in milliseconds since 1970.
 */
export function failureLines(failures: readonly FormatFailure[], now: number): readonly string[] {
  const isCall = ({ code }: FormatFailure) => wrongCalls.has(code);
  return [
    ...failures.map((failure) => failureLine(failure, now)),
    ...(failures.every(isCall) ? [] : ['To see why: postern setup --check']),
    ...(failures.some(isCall) ? ['How such a helper is to be called: postern help credential'] : []),
  ];
}

function failureLine({ at, format, origin, code }: FormatFailure, now: number): string {
  const where = origin === '' ? '' : ` for ${origin}`;
  const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
  return printable(`Last failure: credential ${format}${where} ${when}: ${code.replaceAll('_', ' ')}`, 600);
}

/** The same as JSON. */
function failureJson({ at, format, origin, code }: FormatFailure): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), format, origin: origin === '' ? null : origin, code };
}
