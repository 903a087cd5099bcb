import { printable, quoted, quotedPath } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import type { ProgramEnd } from '../stores/run-program.js';
import { wordsUnsayable } from './failures.js';
import { entryWith, meaningOf, openEntry } from './formats/entry.js';
import { type EntryMembers, ifEditable, membersOf, type OpenedText } from './formats/text.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import type { SetupRecord } from './machine/setup-records.js';
import { edit, entryState, planEntry, planLine, recordOf, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { type OldProgram, oldProgram } from './program-version.js';
import { callIn } from './programs/entries.js';
import { blocksOf, callWords, type EntryRequest, type Program, shellLine } from './programs/program.js';
import { invocationOf, type ProgramResponse, readResponse } from './programs/responses.js';

/** The entry that is in the file. */
interface FoundEntry {
  /** What `--write` would make, something else, somebody else's, or none; or the program has no file. */
  readonly state: 'missing' | 'other' | 'there' | 'different' | 'no-file';
  /** How it differs from the one that would be written now, each in a sentence. */
  readonly faults: readonly string[];
  /** It starts what is not there. */
  readonly isGone?: boolean;
  /** What was recorded, where the entry is as it was written. */
  readonly recorded?: SetupRecord['call'] | undefined;
}

/** What a program that is set up would get. */
export interface CheckedEntry extends FoundEntry {
  readonly request: SetupRequest;
  /** Undefined for a program that has no file. */
  readonly plan: SetupPlan | undefined;
  /** What keeps the program from using it, each in a sentence. */
  readonly blocks: readonly string[];
  readonly old: OldProgram | undefined;
  /** `not-run`: the entry is not as postern writes it. `gone`: it starts nothing. `compared`: nothing was to be run. */
  readonly end:
    | Exclude<ProgramEnd['kind'], 'ended'>
    | 'not-run'
    | 'gone'
    | 'compared'
    | { readonly code: number | null; readonly stderr: string };
  readonly response: ProgramResponse;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
const callersWait = 10_000;

/** Is what the program would run by an entry run, or is the entry compared only? */
export type CheckMode = 'run' | 'compare';

type CheckWorld = Pick<ExternalPrograms, 'machine' | 'files' | 'records' | 'run' | 'find'>;

/**
 * Compares the entry in the file with the one that would be written, and runs what the program would run by it: with what
 * the program leaves of the environment, from the home folder, with the callers' time limit. The file may be anybody's
 * work, so nothing of it is run: command, login and variables are those that would be written now, or those that were
 * recorded when the entry was written. An entry that is neither is not run. Where there is no entry yet, the one that
 * would be written is tried. Of the token that comes only the length is kept.
 * @throws Failure of `planEntry`, or the signal's reason
 */
export async function checkEntry(
  world: CheckWorld,
  ports: Pick<HttpPorts, 'http'>,
  request: SetupRequest,
  { mode, signal }: { readonly mode: CheckMode; readonly signal: AbortSignal },
): Promise<CheckedEntry> {
  const { program } = request;
  const plan = program.line === undefined ? await planEntry(world, request) : undefined;
  const found: FoundEntry = plan ? await compare(world, plan) : { state: 'no-file', faults: [] };
  const { state, recorded } = found;
  const [wanted] = plan ? [plan.wanted] : planLine(world.machine, request);
  const blocks = plan ? [...blocksOf(program, wanted)] : [];
  const old = await oldProgram(world, mode === 'run' ? ports : undefined, request, signal);
  const about = { request, plan, blocks, old, ...found };
  const call = recorded && { ...wanted, ...recorded, machine: { ...wanted.machine, variables: recorded.variables } };
  const run = call ?? (state === 'different' || state === 'other' ? undefined : wanted);
  const end = mode === 'compare' ? 'compared' : found.isGone ? 'gone' : 'not-run';
  if (end !== 'not-run' || run === undefined) return { ...about, end, response: { kind: 'nothing' } };
  return { ...about, ...(await runCall(world, program, run, signal)) };
}

/** The entry in the file beside the one that would be written. */
async function compare({ machine, files, records }: CheckWorld, plan: SetupPlan): Promise<FoundEntry> {
  const { file, entry, request } = plan;
  const { key, holds } = entry;
  const { text = '' } = file;
  const opened = await edit(file.path, () => openEntry(text, key));
  if (opened.raw === undefined) return { state: 'missing', faults: [] };
  const call = callIn(key, opened.value, machine.platform);
  if (call === undefined) return { state: 'other', faults: [] };
  const record = (await recordOf(records, plan))?.record;
  const members = differingMembers(opened, holds);
  const isRecorded = record?.server === request.url && entryState(record, text, machine.platform) === 'same';
  const isAsWritten = isRecorded && members.length === 0;
  // The proxy is there where `--write` was told to put it there.
  const compared = (words: readonly string[] = []) =>
    words.filter((word) => word !== '/usr/bin/env' && !(isAsWritten && /^\w+_PROXY=/.test(word)));
  const is = compared(call.words);
  const should = compared(callIn(key, holds.members, machine.platform)?.words);
  const gone = call.start.find((word) => /^(?:[/\\]|[A-Za-z]:)/.test(word) && !files.exists(word));
  const faults = [
    ...(gone === undefined ? [] : [`It starts ${quotedPath(gone, 300)}, which is not there.`]),
    ...wordFaults(
      is.filter((word) => word !== gone),
      should,
    ),
    ...(members.length === 0 ? [] : [`It holds something else in: ${members.join(', ')}.`]),
  ];
  return {
    state: faults.length === 0 ? 'there' : 'different',
    faults,
    isGone: gone !== undefined,
    recorded: isAsWritten ? record.call : undefined,
  };
}

/** What would not be written; else what is missing, or that the order is another. */
function wordFaults(is: readonly string[], should: readonly string[]): readonly string[] {
  // What a variable holds may be a secret.
  const shown = (words: readonly string[]) =>
    words.map((word) => (/^[A-Za-z_]\w*=/.test(word) ? printable(word.split('=')[0] ?? '', 80) : quoted(word, 80)));
  const added = shown(is.filter((word) => !should.includes(word)));
  if (added.length > 0) return [`It has words that postern would not write: ${added.join(' ')}.`];
  const missing = shown(should.filter((word) => !is.includes(word)));
  if (missing.length > 0) return [`It has not all words that postern would write: ${missing.join(' ')}.`];
  return is.join(' ') === should.join(' ') ? [] : ['It has its words in another order.'];
}

/** What is not in the call: the address, what has the entry switched off, credentials of its own. */
function differingMembers(opened: OpenedText, holds: EntryMembers): readonly string[] {
  const now = membersOf(opened.value);
  const then = ifEditable(() => entryWith(opened, holds)) ?? { ...now, ...holds.members };
  const calls = ['command', 'cmd', 'args', 'helper', 'headersHelper', 'http_headers_helper'];
  return [...new Set(Object.keys({ ...now, ...then }))]
    .filter((name) => !(calls.includes(name) && name in then))
    .filter((name) => meaningOf(now, [name]) !== meaningOf(then, [name]))
    .map((name) => printable(name, 80));
}

async function runCall(
  world: CheckWorld,
  program: Program,
  wanted: EntryRequest,
  signal: AbortSignal,
): Promise<Pick<CheckedEntry, 'end' | 'response'>> {
  const { machine } = world;
  const { words: more, input, env } = invocationOf(program, { ...wanted, machine });
  const words = [...callWords(program.calls, wanted), ...more];
  const command = program.calls === 'headers' ? shellLine(machine.platform, words) : words;
  if (command === undefined) throw wordsUnsayable(program.title);
  const end = await world.run({ command, env, folder: machine.homedir, input, limitMs: callersWait, signal });
  if (end.kind !== 'ended') return { end: end.kind, response: { kind: 'nothing' } };
  const { code, stdout, stderr } = end;
  return { end: { code, stderr }, response: code === 0 ? readResponse(program.calls, stdout) : { kind: 'nothing' } };
}
