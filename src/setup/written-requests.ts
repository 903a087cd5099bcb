import { Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { pickLogin } from '../tokens/find-login.js';
import { loginWords } from '../tokens/login-pin.js';
import { entryValue } from './formats/entry.js';
import type { SetupRecord } from './machine/setup-records.js';
import type { SetupRequest } from './plan-entry.js';
import type { MachineFiles } from './ports.js';
import { type EntryCall, readCall } from './programs/entry-call.js';
import { programs } from './programs/programs.js';
import { recordedName, scopeOf } from './recorded-entry.js';

/** What would be written now for these records of entries. */
export async function requestsOf(
  world: MachineFiles,
  logins: readonly LoginRecord[],
  records: readonly SetupRecord[],
): Promise<readonly SetupRequest[]> {
  const requests = await Promise.all(records.map((record) => requestOf(world, logins, record)));
  return requests.filter((request) => request !== undefined);
}

async function requestOf(
  world: MachineFiles,
  logins: readonly LoginRecord[],
  record: SetupRecord,
): Promise<SetupRequest | undefined> {
  const program = programs.find(({ name }) => name === record.program);
  if (program === undefined) return undefined;
  const { server: url, path } = record;
  const { server: named, options = [] } = (await callIn(world, record)) ?? {};
  const account = options.includes('--account') ? options[options.indexOf('--account') + 1] : undefined;
  const ofServer = logins.filter(({ server }) => server === url);
  const picked = pickLogin(ofServer, { server: url, account });
  const login = ofServer.find(({ name }) => name === named) ?? (picked.kind === 'one' ? picked.login : undefined);
  const meant = login ?? (account === undefined ? { server: url } : { server: url, account });
  return {
    program,
    url,
    path,
    scope: scopeOf(record, world.machine),
    server: login?.name ?? url,
    words: await loginWords(meant, ofServer.length > 1),
    name: recordedName(record) ?? 'postern',
    options: options.includes('--whole-host') ? ['--whole-host'] : [],
  };
}

/** The call in the entry as it is now; undefined where the file cannot be read. */
async function callIn({ machine, files }: MachineFiles, record: SetupRecord): Promise<EntryCall | undefined> {
  const { path, key, server } = record;
  const read = async (at: string) => {
    try {
      return (await files.read(at)).text ?? '';
    } catch (error) {
      if (error instanceof Failure) return '';
      throw error;
    }
  };
  const value = entryValue(await read(path), key);
  return (await readCall(read, [key, value], { names: [server], platform: machine.platform })).call;
}
