import type { ArgumentsOf } from '../core/command.js';
import { usageWrong } from '../core/failures.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { canonicalResource } from '../core/resource.js';
import { printable, shellWord } from '../core/text/printable.js';
import type { StorePorts } from '../stores/ports.js';
import { mayCarryToken, proveBare } from '../tokens/credential-target.js';
import { serverUnusable } from '../tokens/failures.js';
import { findLogin, loginWords, pickLogin } from '../tokens/find-login.js';
import { entryNameUnusable, nothingToUndo, serverNotNamed, severalToUndo } from './failures.js';
import { entryName } from './formats/entry.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import type { KeptRecord, SetupRecord } from './machine/setup-records.js';
import type { SetupRequest } from './plan-entry.js';
import { callIn } from './programs/entries.js';
import { filesOf, type Program, wayOf } from './programs/program.js';
import { programNamed, programs } from './programs/programs.js';
import type { setupTable } from './setup.options.js';

export type SetupArguments = Partial<ArgumentsOf<typeof setupTable>>;

type Index = Pick<StorePorts, 'index'>;

/**
 * What is to be set up: the login that was named, the only one there is, or a server that has none yet.
 * @throws Failure `usage`, `login_needed`, `login_ambiguous`, or the index's
 */
export async function readSetupRequest(ports: Index, program: Program, args: SetupArguments): Promise<SetupRequest> {
  if (args.as !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(args.as)) throw entryNameUnusable(args.as);
  if (args.wholeHost && wayOf(program) !== 'credential') {
    const message = `--whole-host cannot be used: ${program.title} asks for one address only.`;
    throw usageWrong(message, 'postern setup --help');
  }
  const { logins } = await ports.index.read();
  const { url, login } = await serverOf(ports, logins, program, args);
  // A proxy makes the proofs; a helper that prints a token cannot.
  if (login !== undefined && wayOf(program) !== 'bridge' && args.proxy === undefined) {
    proveBare(login, `an entry of ${program.title}`);
  }
  return await requestWith(logins, login ?? { server: url }, {
    program,
    scope: args.project ? 'project' : 'user',
    name: args.as ?? plainName(login?.name ?? url),
    options: args.wholeHost ? ['--whole-host'] : [],
  });
}

/** @param login One that there is, or what would be one. */
async function requestWith(
  logins: readonly LoginRecord[],
  login: Parameters<typeof loginWords>[0] & Partial<Pick<LoginRecord, 'key'>>,
  about: Pick<SetupRequest, 'program' | 'scope' | 'path' | 'name' | 'options'>,
): Promise<SetupRequest> {
  const { server: url, name: server = url } = login;
  const hasOthers = logins.some((other) => other.server === url && other.key !== login.key);
  return { ...about, url, server, words: await loginWords(login, hasOthers) };
}

async function serverOf(
  ports: Index,
  logins: readonly LoginRecord[],
  program: Program,
  { server, account }: SetupArguments,
): Promise<{ readonly url: string; readonly login?: LoginRecord }> {
  if (server === undefined) {
    const [only, ...others] = logins;
    if (only !== undefined && others.length === 0) return { url: only.server, login: only };
    const names = logins.map((login) => login.name ?? login.server);
    throw serverNotNamed(program.name, names);
  }
  const canonical = canonicalResource(server);
  const isKnown = logins.some((login) => login.name === server || (canonical.ok && login.server === canonical.value));
  if (!isKnown && canonical.ok && account === undefined) {
    if (mayCarryToken(canonical.value)) return { url: canonical.value };
    throw serverUnusable(server, 'a token is sent over https alone, or within this machine', undefined);
  }
  const login = await findLogin(ports, { server, account });
  return { url: login.server, login };
}

/** A name that every program takes: letters, digits, `_` and `-`. */
function plainName(text: string): string {
  const host = URL.canParse(text) ? new URL(text).host : text;
  const plain = host.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return plain.slice(0, 63) || 'postern';
}

/**
 * The entries that are to be checked: those that were written, for the program and the server that are named; where none
 * was, the one that would be.
 * @throws Failure as `readSetupRequest`, `program_unknown`
 */
export async function requestsToCheck(
  ports: Index,
  world: ExternalPrograms,
  args: SetupArguments,
): Promise<{ readonly all: readonly SetupRequest[]; readonly isOne: boolean }> {
  const program = args.program === undefined ? undefined : programNamed(args.program, args.server);
  const { logins } = await ports.index.read();
  const records = (await recordsNamed(world, logins, program, args)).map(({ record }) => record);
  if (program !== undefined && (records.length === 0 || args.account !== undefined)) {
    return { all: [await readSetupRequest(ports, program, args)], isOne: true };
  }
  const all = await requestsOf(logins, records, world.machine.platform);
  return { all, isOne: program !== undefined && records.length === 1 };
}

/**
 * What `--write` made for this program: for the server, or the entry, that is named; with `--project` in the working
 * folder, with `--user` in the person's own configuration. Where several are left, a person is asked.
 * @throws Failure `nothing_to_undo`, `usage`, `interrupted`
 */
export async function recordToUndo(
  { index, terminal }: Index & Pick<CorePorts, 'terminal'>,
  world: ExternalPrograms,
  program: Program,
  args: SetupArguments,
  signal: AbortSignal,
): Promise<KeptRecord> {
  const { logins } = await index.read();
  const all = await recordsNamed(world, logins, program, args);
  const [only, ...others] = all;
  if (only === undefined) throw nothingToUndo(program.title);
  if (others.length === 0) return only;
  if (!terminal.interactive) throw severalToUndo(program.name, all.map(undoWords));
  const choices = all.map(({ record }) => {
    return `${printable(record.name, 80)} for ${printable(record.server, 200)} in ${printable(record.path, 200)}`;
  });
  return all[await terminal.choose('Which entry is to be undone?', choices, signal)] ?? only;
}

/**
 * What was written for what is named. A server with several logins: for the one that is named; a name that no login has any
 * more, or another server's has now: the entries of that name.
 */
async function recordsNamed(
  { records, machine, files }: ExternalPrograms,
  logins: readonly LoginRecord[],
  program: Program | undefined,
  { project, user, as, server }: SetupArguments,
): Promise<readonly KeptRecord[]> {
  const [inFolder] = project && program !== undefined ? filesOf(program, machine, 'project') : [];
  const path = inFolder && (await files.read(inFolder, machine.workingFolder)).path;
  const made = (await records.all()).filter(
    ({ record }) =>
      (program === undefined || record.program === program.name) &&
      (path === undefined || record.path === path) &&
      (!user || record.scope === 'user') &&
      (as === undefined || record.name === as),
  );
  if (server === undefined) return made;
  const login = logins.find(({ name }) => name === server);
  const url = login?.server ?? server;
  const canonical = canonicalResource(url);
  const ofServer = made.filter(({ record }) => record.server === (canonical.ok ? canonical.value : url));
  const isOnly = login === undefined || logins.every((other) => other.server !== url || other.key === login.key);
  const ofLogin = ofServer.filter(
    ({ record }) => isOnly || loginOf(logins, record, machine.platform).login?.key === login.key,
  );
  return ofLogin.length > 0 ? ofLogin : made.filter(({ record }) => record.name === server);
}

/** What tells a record of a program from all others. */
function undoWords({ record }: KeptRecord) {
  const name = entryName(record.key);
  const as = name === undefined ? '' : ` --as ${shellWord(printable(name, 80))}`;
  return { words: `${shellWord(printable(record.server, 300))}${as} --${record.scope}`, path: record.path };
}

/** What would be written now for these records of entries. */
async function requestsOf(
  logins: readonly LoginRecord[],
  records: readonly SetupRecord[],
  platform: string,
): Promise<readonly SetupRequest[]> {
  const requests = records.flatMap((record) => {
    const { path, scope, name, server } = record;
    const program = programs.find((one) => one.name === record.program);
    if (program === undefined) return [];
    const { login, account, options } = loginOf(logins, record, platform);
    const about = { program, path, scope, name, options: options.filter((option) => option === '--whole-host') };
    return [requestWith(logins, login ?? (account === undefined ? { server } : { server, account }), about)];
  });
  return await Promise.all(requests);
}

/** The login that the entry was written for, whatever the file says now. */
function loginOf(logins: readonly LoginRecord[], { key, holds, server: url }: SetupRecord, platform: string) {
  const { server: named, options = [] } = callIn(key, holds, platform) ?? {};
  const account = options.includes('--account') ? options[options.indexOf('--account') + 1] : undefined;
  const ofServer = logins.filter(({ server }) => server === url);
  const picked = pickLogin(ofServer, { server: url, account });
  const login =
    ofServer.find(({ name }) => name !== undefined && name === named) ??
    (picked.kind === 'one' ? picked.login : undefined);
  return { login, account, options };
}
