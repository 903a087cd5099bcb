import type { ArgumentsOf, Command, CommandOutput } from '../../core/command.js';
import { redirectUriText } from '../../core/configuration/redirect-uri.js';
import { exitCode, Failure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import type { ClientKeyRecord, FormatFailure, IndexDocument, LoginRecord, ProviderRecord } from '../../core/records.js';
import { fitted, readerLook } from '../../core/text/layout.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { removeOrphans } from '../../stores/orphans.js';
import { originText } from '../../tokens/credential-target.js';
import { isDefaultLogin, loginsCalled } from '../../tokens/find-login.js';
import { chosenRedirectUri } from '../../tokens/registrations.js';
import type { LoginPorts } from '../ports.js';
import { type CheckedLogin, type CheckWorld, checkedJson, okInWords } from './check-logins.js';
import {
  fullName,
  hangsOn,
  type LabelledRow,
  loginJson,
  loginLines,
  loginStatus,
  needsPerson,
} from './login-status.js';
import { statusTable } from './logins.options.js';
import { clientKeyJson, clientKeyLines, dateOrNull, inWords, orphanLines } from './render.js';
import { type ShownLogin, statusBlocks } from './status-table.js';

interface World
  extends CommandOutput,
    CheckWorld,
    Pick<LoginPorts, 'index' | 'stores' | 'recovery' | 'failures' | 'locks' | 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Arguments = ArgumentsOf<typeof statusTable>;

interface Found {
  readonly logins: readonly ShownLogin[];
  /** Logins at companies' providers. */
  readonly providers: readonly ShownLogin[];
  readonly clientKeys: readonly ClientKeyRecord[];
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
    if (world.json) await out.json(statusJson(found));
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

async function checkAll(world: World, { server }: Arguments): Promise<ReadonlyMap<string, CheckedLogin>> {
  const { checkLogins } = await import('./check-logins.js');
  const { logins } = await world.index.read();
  const asked = server === undefined ? logins : loginsCalled(logins, server);
  return await checkLogins(world, asked, ({ identity }) => identity === undefined);
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
  const isShown = ({ hanging }: ShownLogin) => server === undefined || hanging?.some((one) => shown.includes(one));
  return {
    logins: shown.map((login) => ({
      status: loginStatus(login, now, providers),
      isDefault: isDefaultLogin(logins, login),
      checked: checked?.get(login.key),
      redirectUri: redirectUriOf(document, login),
    })),
    providers: providers.map((record) => shownProvider(record, logins, now)).filter(isShown),
    clientKeys: server === undefined ? clientKeys : [],
    failures: (await world.failures.read()).filter(({ origin }) => origins?.includes(origin) !== false),
  };
}

/** What its next login is sent to, where a person has chosen that. */
function redirectUriOf(document: IndexDocument, { issuer, grant, store }: LoginRecord): string | undefined {
  const isByPerson = grant === undefined && store !== 'environment';
  const chosen = isByPerson ? chosenRedirectUri(document, issuer) : undefined;
  return chosen && redirectUriText(chosen);
}

function statusJson({ logins, clientKeys, providers, failures }: Found) {
  return {
    logins: logins.map(({ status, isDefault, checked, redirectUri = null }) => ({
      ...loginJson(status),
      isDefault,
      redirectUri,
      check: checkedJson(checked),
    })),
    clientKeys: clientKeys.map(clientKeyJson),
    providers: providers.map(providerJson),
    failures: failures.map(({ at, format, origin, code }) => ({
      at: dateOrNull(at),
      format,
      origin: origin || null,
      code,
    })),
  };
}

async function print(world: World, { long }: Arguments, found: Found): Promise<void> {
  const { out, look, clock } = world;
  const { logins, providers, clientKeys, failures } = found;
  const now = clock.now();
  const inFull = [...logins, ...providers];
  const blocks = [
    ...(long ? inFull.map((one) => loginLines(one.status, now, look, moreRows(one))) : shortBlocks(world, found, now)),
    ...(long ? clientKeys.map(clientKeyLines) : []),
    failureLines(failures, now).flatMap((line) => fitted(line, readerLook(world).width)),
  ].filter((lines) => lines.length > 0);
  if (logins.length === 0) world.tell('No logins yet. Make one with: postern login URL');
  if (blocks.length > 0) await out.line(blocks.map((lines) => lines.join('\n')).join('\n\n'));
}

function moreRows({ status: { login }, redirectUri, checked, hanging }: ShownLogin): readonly LabelledRow[] {
  const { state, failure, says } = checked ?? {};
  const asked =
    checked && (failure === undefined ? okInWords(checked) : `${state?.replace('_', ' ')}: ${failure.message}`);
  return [
    ['redirect', redirectUri && `${redirectUri} (--redirect-uri)`],
    ['asked now', asked],
    ['to do', failure?.remedy],
    ['server says', says],
    ['logins', hanging && (hanging.map(fullName).join(', ') || 'none')],
    ['end it by', hanging && `postern logout --idp ${shellWord(login.issuer)}`],
  ];
}

/** The table, with logins at companies' providers below the others; why a login that was asked about is not taken, and what to do. */
function shortBlocks(world: World, { logins, providers }: Found, now: number) {
  const causes = logins.flatMap(({ status: { login }, checked }) => {
    const { failure } = checked ?? {};
    if (failure === undefined) return [];
    const line = printable(`${login.name ?? login.server}: ${failure.message} ${failure.remedy}`, 2000);
    return fitted(line, readerLook(world).width);
  });
  return [...statusBlocks(world, [...logins, ...providers], now), causes];
}

/** A dead one is made again with the next login of a server that hangs on it. */
function shownProvider(record: ProviderRecord, all: readonly LoginRecord[], now: number): ShownLogin {
  const hanging = all.filter((login) => hangsOn(login, record));
  const status = loginStatus(record, now);
  const remedy = status.problem && hanging[0] && loginCommand(hanging[0]);
  return { status: { ...status, remedy }, isDefault: false, checked: undefined, hanging };
}

function providerJson({ status: { login, state }, hanging = [] }: ShownLogin) {
  const { issuer, clientId, account, identity = null, expiresAt, refreshable, store } = login;
  return {
    ...{ issuer, clientId, account, identity, state },
    ...{ expiresAt: dateOrNull(expiresAt), refreshable, store },
    logins: hanging.map(({ name = null, server, account }) => ({ name, server, account })),
  };
}

/** Failed requests by other programs, a line each, and how to find out why: most such programs hide our messages. */
function failureLines(failures: readonly FormatFailure[], now: number): readonly string[] {
  if (failures.length === 0) return [];
  const lines = failures.map(({ at, format, origin, code }) => {
    const where = origin === '' ? '' : ` for ${origin}`;
    const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
    return printable(`Last failure: credential ${format}${where} ${when}: ${code.replaceAll('_', ' ')}`, 600);
  });
  return [...lines, 'To see why: postern setup --check', 'How such a helper is called: postern help credential'];
}
