import { Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { pickLogin } from '../tokens/find-login.js';
import { loginWords } from '../tokens/login-pin.js';
import { entryName, entryValue } from './formats/entry.js';
import type { SetupRequest } from './plan-entry.js';
import type { ExternalPrograms, KeptRecord, SetupRecord } from './ports.js';
import { type EntryCall, readCall } from './programs/entry-call.js';
import { programs } from './programs/programs.js';

type RecordWorld = Pick<ExternalPrograms, 'machine' | 'files' | 'records'>;

/** Is it of the person's own configuration, or of a folder's? Earlier releases have not kept that. */
export function scopeOf(record: SetupRecord, { machine }: Pick<ExternalPrograms, 'machine'>): 'user' | 'project' {
  const program = programs.find(({ name }) => name === record.program);
  const isUsual = program?.files(machine, 'user').includes(record.path) === true;
  const isBelowHome = record.path.startsWith(machine.homedir) && program?.files(machine, 'project').length === 0;
  return record.scope ?? (isUsual || isBelowHome ? 'user' : 'project');
}

/** What the program was told to call the entry; undefined where an earlier release has not kept it. */
export function recordedName({ name, key, shim }: SetupRecord): string | undefined {
  return name ?? entryName(key) ?? /[\\/]bazel-([A-Za-z0-9_-]+)(?:\.cmd)?$/.exec(shim ?? '')?.[1];
}

/** What would be written now for each entry that ever was, of that program where one is named. */
export async function writtenRequests(
  world: RecordWorld,
  logins: readonly LoginRecord[],
  program: string | undefined,
): Promise<readonly SetupRequest[]> {
  const all = await world.records.all();
  const wanted = all.filter(({ record }) => program === undefined || record.program === program);
  const requests = await Promise.all(wanted.map((kept) => requestOf(world, logins, kept)));
  return requests.filter((request) => request !== undefined);
}

async function requestOf(
  world: RecordWorld,
  logins: readonly LoginRecord[],
  { record }: KeptRecord,
): Promise<SetupRequest | undefined> {
  const program = programs.find(({ name }) => name === record.program);
  if (program === undefined) return undefined;
  const { server: url, path } = record;
  const call = await callThere(world, record);
  const account = call?.options[call.options.indexOf('--account') + 1];
  const ofServer = logins.filter(({ server }) => server === url);
  const named = ofServer.find(({ name }) => name === call?.server);
  const isNamed = call?.options.includes('--account') === true;
  const picked = pickLogin(ofServer, { server: url, account: isNamed ? account : undefined });
  const login = named ?? (picked.kind === 'one' ? picked.login : undefined);
  const meant = login ?? (isNamed && account !== undefined ? { server: url, account } : { server: url });
  return {
    program,
    url,
    path,
    scope: scopeOf(record, world),
    server: login?.name ?? url,
    words: await loginWords(meant, ofServer.length > 1),
    name: recordedName(record) ?? 'postern',
    options: call?.options.includes('--whole-host') === true ? ['--whole-host'] : [],
  };
}

async function callThere(
  { machine, files }: RecordWorld,
  { path, key, server }: SetupRecord,
): Promise<EntryCall | undefined> {
  const read = async (at: string) => {
    try {
      return (await files.read(at)).text ?? '';
    } catch (error) {
      if (error instanceof Failure) return '';
      throw error;
    }
  };
  const entry = [key, entryValue(await read(path), key)] as const;
  return (await readCall(read, entry, { names: [server], platform: machine.platform })).call;
}
