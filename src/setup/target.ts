import type { ArgumentsOf } from '../core/command.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { canonicalResource } from '../core/resource.js';
import { printable, shellWord } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import type { StorePorts } from '../stores/ports.js';
import { mayCarryToken } from '../tokens/credential-target.js';
import { serverUnusable } from '../tokens/failures.js';
import { findLogin } from '../tokens/find-login.js';
import { loginWords } from '../tokens/login-pin.js';
import { entryNameUnusable, nothingToUndo, serverNotNamed, severalToUndo } from './failures.js';
import { entryName } from './formats/entry.js';
import type { SetupRequest } from './plan-entry.js';
import type { ExternalPrograms, KeptRecord, SetupRecord } from './ports.js';
import { programNamed } from './programs/programs.js';
import type { setupTable } from './setup.options.js';
import { recordedName, scopeOf, writtenRequests } from './written-requests.js';

type Program = SetupRequest['program'];

export type SetupArguments = ArgumentsOf<typeof setupTable>;

/**
 * What is to be set up: the login that was named, the only one there is, or a server that has none yet.
 * @throws Failure `usage`, `login_needed`, `login_ambiguous`, or the index's
 */
export async function readSetupRequest(
  ports: Pick<StorePorts, 'index'>,
  program: Program,
  args: SetupArguments,
): Promise<SetupRequest & { readonly hasLogin: boolean }> {
  if (args.as !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(args.as)) throw entryNameUnusable(args.as);
  if (args.wholeHost && program.way !== 'credential') {
    throw usageWrong(
      `--whole-host cannot be used: ${program.title} asks for one address only.`,
      'postern setup --help',
    );
  }
  const { logins } = await ports.index.read();
  const found = await serverOf(ports, logins, program, args);
  const { url, login } = found;
  const hasOthers = logins.some(({ server, key }) => server === url && key !== login?.key);
  return {
    program,
    scope: args.project ? 'project' : 'user',
    url,
    server: login?.name ?? url,
    words: await loginWords(login ?? { server: url }, hasOthers),
    name: args.as ?? plainName(login?.name ?? url),
    options: args.wholeHost ? ['--whole-host'] : [],
    hasLogin: login !== undefined,
  };
}

async function serverOf(
  ports: Pick<StorePorts, 'index'>,
  logins: readonly LoginRecord[],
  program: Program,
  { server, account }: SetupArguments,
): Promise<{ readonly url: string; readonly login?: LoginRecord }> {
  if (server === undefined) {
    const [only, ...others] = logins;
    if (only !== undefined && others.length === 0) return { url: only.server, login: only };
    throw serverNotNamed(
      program.name,
      logins.map((login) => login.name ?? login.server),
    );
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
  return (
    host
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 63) || 'postern'
  );
}

/**
 * The entries that are to be checked: the one that is named; without a server, and where it is not clear which one is
 * meant, all that were written for the program; without a program, all.
 * @throws Failure as `readSetupRequest`, `program_unknown`
 */
export async function requestsToCheck(
  ports: Pick<StorePorts, 'index'>,
  world: Pick<ExternalPrograms, 'records' | 'machine' | 'files'>,
  args: SetupArguments,
): Promise<{ readonly all: readonly SetupRequest[]; readonly isOne: boolean }> {
  const { logins } = await ports.index.read();
  if (args.program === undefined) return { all: await writtenRequests(world, logins, undefined), isOne: false };
  const program = programNamed(args.program);
  if (args.server === undefined && logins.length !== 1) {
    const all = await writtenRequests(world, logins, program.name);
    if (all.length > 0) return { all, isOne: false };
  }
  const { hasLogin: _, ...request } = await readSetupRequest(ports, program, args);
  const written = (await world.records.all()).filter(
    ({ record }) =>
      record.program === program.name && record.server === request.url && scopeOf(record, world) === request.scope,
  );
  const [only, another] = written.map(({ record }) => recordedName(record));
  const name = args.as ?? (another === undefined ? only : undefined) ?? request.name;
  return { all: [{ ...request, name }], isOne: true };
}

/**
 * What `--write` made for this program: for the server, or the entry, that is named; with `--project` in the working
 * folder, with `--user` in the person's own configuration. Where several are left, a person is asked.
 * @throws Failure `nothing_to_undo`, `usage`, `interrupted`
 */
export async function recordToUndo(
  ports: Pick<StorePorts, 'index'> & Pick<CorePorts, 'terminal'>,
  world: Pick<ExternalPrograms, 'records' | 'machine' | 'files'>,
  program: Program,
  args: SetupArguments,
  signal: AbortSignal,
): Promise<KeptRecord> {
  const { terminal } = ports;
  const { machine, files } = world;
  const [folder] = args.project ? program.files(machine, 'project') : [];
  const path = folder === undefined ? undefined : (await files.read(folder)).path;
  const made = (await world.records.all()).filter(
    ({ record }) =>
      record.program === program.name &&
      (path === undefined || record.path === path) &&
      (!args.user || scopeOf(record, world) === 'user') &&
      (args.as === undefined || recordedName(record) === args.as),
  );
  const all = await named(ports, made, args.server);
  const [only, ...others] = all;
  if (only === undefined) throw nothingToUndo(program.title);
  if (others.length === 0) return only;
  if (!terminal.interactive) {
    const records = all.map(({ record }) => record);
    const words = undoWords(records, world);
    throw severalToUndo(
      program.name,
      records.map(({ path }, index) => ({ words: words[index] ?? '', path })),
    );
  }
  const choices = all.map(({ record }) => `${printable(record.server, 200)} in ${printable(record.path, 200)}`);
  return all[await terminal.choose('Which entry is to be undone?', choices, signal)] ?? only;
}

/** Those for that server; of a name that no login has any more, or another server's has now, those that were given it. */
async function named(
  { index }: Pick<StorePorts, 'index'>,
  made: readonly KeptRecord[],
  server: string | undefined,
): Promise<readonly KeptRecord[]> {
  if (server === undefined) return made;
  const { logins } = await index.read();
  const url = logins.find(({ name }) => name === server)?.server ?? server;
  const canonical = canonicalResource(url);
  const ofServer = made.filter(({ record }) => record.server === (canonical.ok ? canonical.value : url));
  return ofServer.length > 0 ? ofServer : made.filter(({ record }) => recordedName(record) === server);
}

/** What tells records of one program apart: server and name; where those are the same, whose configuration it is. */
function undoWords(records: readonly SetupRecord[], world: Pick<ExternalPrograms, 'machine'>): readonly string[] {
  const plain = records.map(({ server, key }) => {
    const name = entryName(key);
    const as = name === undefined ? '' : ` --as ${shellWord(printable(name, 80))}`;
    return `${shellWord(printable(server, 300))}${as}`;
  });
  return records.map((record, at) => {
    const words = plain[at] ?? '';
    const isAlone = plain.filter((one) => one === words).length === 1;
    return isAlone ? words : `${words} --${scopeOf(record, world)}`;
  });
}
