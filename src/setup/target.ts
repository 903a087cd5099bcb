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
import { filesOf, type Program, wayOf } from './programs/program.js';
import { programNamed, programs } from './programs/programs.js';
import type { setupTable } from './setup.options.js';

export type SetupArguments = Partial<ArgumentsOf<typeof setupTable>>;

type Index = Pick<StorePorts, 'index'>;
type RecordWorld = Pick<ExternalPrograms, 'records' | 'machine' | 'files'>;

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
 * The entries that are to be checked: the one that is named; without a server, and where it is not clear which one is
 * meant, all that were written for the program; without a program, all.
 * @throws Failure as `readSetupRequest`, `program_unknown`
 */
export async function requestsToCheck(
  ports: Index,
  { records: kept }: Pick<RecordWorld, 'records'>,
  args: SetupArguments,
): Promise<{ readonly all: readonly SetupRequest[]; readonly isOne: boolean }> {
  const { logins } = await ports.index.read();
  const records = (await kept.all()).map(({ record }) => record);
  if (args.program === undefined) return { all: await requestsOf(logins, records), isOne: false };
  const program = programNamed(args.program, args.server);
  const ofProgram = records.filter((record) => record.program === program.name);
  const isClear = logins.length === 1 && (args.project || ofProgram.some((one) => one.scope === 'user'));
  if (args.server === undefined && !isClear && ofProgram.length > 0) {
    return { all: await requestsOf(logins, ofProgram), isOne: false };
  }
  const request = await readSetupRequest(ports, program, args);
  const isMeant = (record: (typeof records)[number]) => record.server === request.url && record.scope === request.scope;
  const meant = ofProgram.filter(isMeant);
  const [only, another] = meant.map((record) => record.name);
  const name = args.as ?? (another === undefined ? only : undefined) ?? request.name;
  return { all: [{ ...request, name }], isOne: true };
}

/**
 * What `--write` made for this program: for the server, or the entry, that is named; with `--project` in the working
 * folder, with `--user` in the person's own configuration. Where several are left, a person is asked.
 * @throws Failure `nothing_to_undo`, `usage`, `interrupted`
 */
export async function recordToUndo(
  { index, terminal }: Index & Pick<CorePorts, 'terminal'>,
  { records, machine, files }: RecordWorld,
  program: Program,
  args: SetupArguments,
  signal: AbortSignal,
): Promise<KeptRecord> {
  const [inFolder] = args.project ? filesOf(program, machine, 'project') : [];
  const path = inFolder && (await files.read(inFolder, machine.workingFolder)).path;
  const made = (await records.all()).filter(
    ({ record }) =>
      record.program === program.name &&
      (path === undefined || record.path === path) &&
      (!args.user || record.scope === 'user') &&
      (args.as === undefined || record.name === args.as),
  );
  const { logins } = await index.read();
  const all = args.server === undefined ? made : forServer(made, args.server, logins);
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
 * Those for that server, and where it has several logins, those for the one that was named; of a name that no login has
 * any more, or another server's has now, those that were given it.
 */
function forServer(made: readonly KeptRecord[], server: string, logins: readonly LoginRecord[]): readonly KeptRecord[] {
  const login = logins.find(({ name }) => name === server);
  const url = login?.server ?? server;
  const canonical = canonicalResource(url);
  const ofServer = made.filter(({ record }) => record.server === (canonical.ok ? canonical.value : url));
  const isOnly = login === undefined || logins.every((other) => other.server !== url || other.key === login.key);
  const meant = isOnly ? ofServer : ofServer.filter(({ record }) => loginOf(logins, record).login?.key === login.key);
  return meant.length > 0 ? meant : made.filter(({ record }) => record.name === server);
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
): Promise<readonly SetupRequest[]> {
  const requests = records.flatMap((record) => {
    const { path, scope, name, server } = record;
    const program = programs.find((one) => one.name === record.program);
    if (program === undefined) return [];
    const { login, account, options } = loginOf(logins, record);
    const about = { program, path, scope, name, options: options.filter((option) => option === '--whole-host') };
    return [requestWith(logins, login ?? (account === undefined ? { server } : { server, account }), about)];
  });
  return await Promise.all(requests);
}

/** The login that the entry was written for, whatever the file says now. */
function loginOf(logins: readonly LoginRecord[], record: SetupRecord) {
  const { server: named, options } = record.call;
  const account = options.includes('--account') ? options[options.indexOf('--account') + 1] : undefined;
  const ofServer = logins.filter(({ server }) => server === record.server);
  const picked = pickLogin(ofServer, { server: record.server, account });
  const login = ofServer.find(({ name }) => name === named) ?? (picked.kind === 'one' ? picked.login : undefined);
  return { login, account, options };
}
