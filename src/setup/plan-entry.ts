import { Failure } from '../core/failure.js';
import { addressSecret } from '../tokens/failures.js';
import type { LoginWords } from '../tokens/login-pin.js';
import { edit, entryTaken, noSuchScope, wordsUnsayable } from './failures.js';
import { type Entry, openEntry, putEntry } from './formats/entry.js';
import type { ExternalPrograms, ProgramFile } from './ports.js';
import { addressIn, callIn } from './programs/entry-call.js';
import { callWords, conflictsOf, type EntryRequest, type Program, type Scope, type Shim } from './programs/program.js';

/** What a person wants set up. */
export interface SetupRequest {
  readonly program: Program;
  readonly scope: Scope;
  /** The very file; not given: the one where the program looks now. */
  readonly path?: string;
  /** The server's URL, and what a person calls it: the login's name, if it has one. */
  readonly url: string;
  readonly server: string;
  /** What the entry may call the login, the best first. */
  readonly words: readonly LoginWords[];
  /** What the program is to call it. */
  readonly name: string;
  /** Options beside those that name the login. */
  readonly options: readonly string[];
}

/** An entry, the file that it belongs into, and that file's text with it. */
export interface SetupPlan {
  readonly request: SetupRequest;
  /** What the entry was made of. */
  readonly wanted: EntryRequest;
  readonly file: ProgramFile;
  readonly entry: Entry;
  readonly shim: Shim | undefined;
  /** What else would win over it, each in a sentence. */
  readonly conflicts: readonly string[];
}

/**
 * Reads the program's configuration, and makes the entry for it. Nothing is changed.
 * @throws Failure `scope_unknown`, `words_unsayable`, `address_secret`, `program_file_unusable`
 */
export async function planEntry(
  { machine, files }: Pick<ExternalPrograms, 'machine' | 'files'>,
  request: SetupRequest,
): Promise<SetupPlan> {
  const path = request.path ?? configurationFile({ machine, files }, request.program, request.scope);
  if (path === undefined) throw noSuchScope(request.program.title);
  const file = await files.read(path);
  const { program } = request;
  const switches = await readSwitches({ machine, files }, program);
  for (const one of entryRequests(machine, request, file.text ?? '')) {
    const wanted = { ...one, switches };
    const made = program.make(wanted, callOfOurs(program, wanted));
    if (made === undefined) continue;
    return {
      request,
      wanted,
      file,
      entry: made.entry,
      shim: made.shim,
      conflicts: conflictsOf(program, wanted),
    };
  }
  throw request.words.length === 0 ? addressSecret(request.url) : wordsUnsayable(program.title);
}

/** What else of the program's can switch an entry off; a file that cannot be read says nothing. */
async function readSwitches(
  { machine, files }: Pick<ExternalPrograms, 'machine' | 'files'>,
  program: Program,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of program.switches?.(machine) ?? []) {
    const file = await files.read(path).catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
    if (file?.text !== undefined) found.set(file.path, file.text);
  }
  return found;
}

/** The words by which the program calls us. */
export function callOfOurs({ calls: command }: Program, { machine, server, options }: EntryRequest) {
  return callWords(machine, { command, server, options });
}

/** What a program is asked to make an entry of, in each of the words for the login, the best first. */
export function entryRequests(
  machine: ExternalPrograms['machine'],
  { words, ...request }: SetupRequest,
  text: string,
): readonly EntryRequest[] {
  return words.map(({ server, options }) => ({
    machine,
    text,
    url: request.url,
    name: request.name,
    server,
    login: request.server,
    options: [...options, ...request.options],
  }));
}

/** The file that a program's entry belongs into; undefined where there is none for that scope. */
export function configurationFile(
  { machine, files }: Pick<ExternalPrograms, 'machine' | 'files'>,
  program: Program,
  scope: Scope,
): string | undefined {
  const all = program.files(machine, scope);
  return all.find((path) => files.exists(path)) ?? all[0];
}

/**
 * The file's text with the entry in it.
 * @throws Failure `entry_not_edited`, `entry_taken`
 */
export function plannedText({ request, wanted: { machine }, file, entry }: SetupPlan): string {
  const text = file.text ?? '';
  const found = edit(file.path, () => openEntry(text, entry.key));
  const call = callIn(entry.key, found.value, { platform: machine.platform });
  const isFree =
    found.raw === undefined ||
    [request.server, request.url].some((word) => call?.server === word) ||
    addressIn(found.raw, request.url);
  if (!isFree && (entry.key.format === 'json' || entry.key.format === 'toml' || entry.key.format === 'kubeconfig')) {
    throw entryTaken(file.path, request.name);
  }
  return edit(file.path, () => putEntry(text, entry));
}
