import {
  entryNameUnusable,
  nothingToUndo,
  programUnknown,
  serverNotNamed,
  severalToUndo,
} from '../errors/setup.js';
import { serverUnusable, usageWrong } from '../errors/usage.js';
import { findLogin } from '../flows/find-login.js';
import { loginWords } from '../flows/login-pin.js';
import { knownPrograms } from '../flows/setup/list-programs.js';
import type { SetupRequest } from '../flows/setup/plan-entry.js';
import type { KeptRecord, Neighbours, SetupRecord } from '../ports/neighbours.js';
import type { Ports } from '../ports.js';
import { closest } from '../primitives/closest.js';
import { mayCarryToken } from '../primitives/credential-target.js';
import { entryName } from '../primitives/edit/entry.js';
import { printable } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import type { LoginRecord } from '../primitives/records.js';
import { canonicalResource } from '../primitives/resource.js';
import type { setupTable } from './commands/setup.table.js';
import type { ArgumentsOf } from './table.js';

type Program = SetupRequest['program'];

export type SetupArguments = ArgumentsOf<typeof setupTable>;

/** The program of that name. @throws Failure `program_unknown`, `usage_wrong` */
export function programNamed(name: string | undefined): Program {
  const all = knownPrograms();
  if (name === undefined) {
    throw usageWrong('No program was named.', 'postern setup --list');
  }
  const names = all.map((program) => program.name);
  const program = all.find((one) => one.name === name.toLowerCase());
  if (program === undefined) throw programUnknown(name, closest(name, names), names);
  return program;
}

/**
 * What is to be set up: the login that was named, the only one there is, or a server that has none yet.
 * @throws Failure `usage`, `login_needed`, `login_ambiguous`, or the index's
 */
export async function readSetupRequest(
  ports: Pick<Ports, 'index'>,
  program: Program,
  args: SetupArguments,
): Promise<SetupRequest & { readonly hasLogin: boolean }> {
  if (args.as !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(args.as)) {
    throw entryNameUnusable(args.as);
  }
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
  ports: Pick<Ports, 'index'>,
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
  const isKnown = logins.some(
    (login) => login.name === server || (canonical.ok && login.server === canonical.value),
  );
  if (!isKnown && canonical.ok && account === undefined) {
    if (mayCarryToken(canonical.value)) return { url: canonical.value };
    throw serverUnusable(server, 'a token is sent over https alone, or within this machine', undefined);
  }
  const login = await findLogin(ports, { server, account });
  return { url: login.server, login };
}

/** What tells a record from others of its program. */
function undoWords({ server, key }: SetupRecord): string {
  const name = entryName(key);
  return `${shellWord(printable(server, 300))}${name === undefined ? '' : ` --as ${shellWord(printable(name, 80))}`}`;
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
 * What `--write` made for this program, for this server where one is named, in the working folder with `--project`.
 * @throws Failure `nothing_to_undo`, `usage`
 */
export async function recordToUndo(
  { index }: Pick<Ports, 'index'>,
  { records, machine, files }: Pick<Neighbours, 'records' | 'machine' | 'files'>,
  program: Program,
  args: SetupArguments,
): Promise<KeptRecord> {
  const { logins } = await index.read();
  const named = logins.find(({ name }) => name === args.server)?.server ?? args.server;
  const canonical = named === undefined ? undefined : canonicalResource(named);
  const url = canonical?.ok === true ? canonical.value : named;
  const [folder] = args.project ? program.files(machine, 'project') : [];
  const path = folder === undefined ? undefined : (await files.read(folder)).path;
  const all = await records.all();
  const [only, ...others] = all.filter(
    ({ record }) =>
      record.program === program.name &&
      (url === undefined || record.server === url) &&
      (path === undefined || record.path === path) &&
      (args.as === undefined || entryName(record.key) === args.as),
  );
  if (only === undefined) throw nothingToUndo(program.title);
  if (others.length > 0) {
    throw severalToUndo(
      program.name,
      [only, ...others].map(({ record }) => undoWords(record)),
    );
  }
  return only;
}
