import { printable, quoted, quotedPath } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import type { ProgramEnd } from '../stores/run-program.js';
import { wordsUnsayable } from './failures.js';
import { entryWith, meaningOf, openEntry } from './formats/entry.js';
import { type EntryMembers, ifEditable, membersOf, type OpenedText } from './formats/text.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import { edit, entryState, planEntry, recordOf, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { type OldProgram, oldProgram } from './program-version.js';
import { callIn } from './programs/entries.js';
import { blocksOf, callWords, shellLine } from './programs/program.js';
import { invocationOf, type ProgramResponse, readResponse } from './programs/responses.js';

/** The entry that is in the file. */
interface FoundEntry {
  /** As `--write` would make it, changed, not ours, or missing; `no-file`: none of the program's files is read. */
  readonly state: 'missing' | 'other' | 'there' | 'different' | 'no-file';
  /** How it differs from the one that would be written now, each in a sentence. */
  readonly faults: readonly string[];
  /** The words that are safe to run for it: those that would be written now, or were recorded when it was written. */
  readonly words: readonly string[] | undefined;
}

/** What a program that is set up would get. */
export interface CheckedEntry extends FoundEntry {
  readonly request: SetupRequest;
  readonly plan: SetupPlan;
  /** What keeps the program from using it, each in a sentence. */
  readonly blocks: readonly string[];
  readonly old: OldProgram | undefined;
  /** `not-run`: the entry is not as postern writes it. `compared`: nothing was to be run. */
  readonly end:
    | Exclude<ProgramEnd['kind'], 'ended'>
    | 'not-run'
    | 'compared'
    | { readonly code: number | null; readonly stderr: string };
  readonly response: ProgramResponse;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
const callersWait = 10_000;

/** Is what the program would run by an entry run, or is the entry compared only? */
export type CheckMode = 'run' | 'compare';

/**
 * Compares the entry in the file with the one that would be written, and runs what the program would run by it: with what
 * the program leaves of the environment, from the home folder, with the callers' time limit. The file may be anybody's
 * work, so only words are run that would be written now, or that were recorded when the entry was written. Where there is
 * no entry yet, the one that would be written is tried. Of the token that comes only the length is kept.
 * @throws Failure of `planEntry`, or the signal's reason
 */
export async function checkEntry(
  world: ExternalPrograms,
  ports: Pick<HttpPorts, 'http'>,
  request: SetupRequest,
  { mode, signal }: { readonly mode: CheckMode; readonly signal: AbortSignal },
): Promise<CheckedEntry> {
  const { program } = request;
  const plan = await planEntry(world, request);
  const found = await compare(world, plan, callWords(program.calls, plan.wanted));
  const blocks = [...blocksOf(program, plan.wanted)];
  const old = await oldProgram(world, mode === 'run' ? ports : undefined, request, signal);
  const about = { request, plan, blocks, old, ...found };
  if (mode === 'run' && found.words !== undefined) {
    return { ...about, ...(await runCall(world, request, found.words, signal)) };
  }
  return { ...about, end: mode === 'compare' ? 'compared' : 'not-run', response: { kind: 'nothing' } };
}

/** The entry in the file beside the one that would be written. */
async function compare(world: ExternalPrograms, plan: SetupPlan, planned: readonly string[]): Promise<FoundEntry> {
  const { machine, files, records } = world;
  const { file, entry, request } = plan;
  const { key, holds } = entry;
  if (key.format === 'pasted') return { state: 'no-file', faults: [], words: planned };
  const { text = '' } = file;
  const opened = await edit(file.path, () => openEntry(text, key));
  if (opened.raw === undefined) return { state: 'missing', faults: [], words: planned };
  const call = callIn(key, opened.value, machine.platform);
  if (call === undefined) return { state: 'other', faults: [], words: undefined };
  const record = (await recordOf(records, plan))?.record;
  const members = differingMembers(opened, holds);
  const isRecorded = record?.server === request.url && entryState(record, text, machine.platform) === 'same';
  const recorded = isRecorded && members.length === 0 ? callIn(key, record.holds, machine.platform)?.words : undefined;
  // The proxy is there where `--write` was told to put it there.
  const compared = (words: readonly string[] = []) =>
    words.filter((word) => word !== '/usr/bin/env' && !(recorded !== undefined && /^\w+_PROXY=/.test(word)));
  const gone = call.start.find((word) => /^(?:[/\\]|[A-Za-z]:)/.test(word) && !files.exists(word));
  const is = compared(call.words).filter((word) => word !== gone);
  const words = differingWords(is, compared(callIn(key, holds.members, machine.platform)?.words));
  const differing = [...members, ...(words === '' ? [] : [words])];
  const faults = [
    ...(gone === undefined ? [] : [`It starts ${quotedPath(gone, 300)}, which is not there.`]),
    ...(differing.length === 0 ? [] : [`It is not what postern would write in: ${differing.join(', ')}.`]),
  ];
  if (faults.length === 0) return { state: 'there', faults, words: recorded ?? planned };
  return { state: 'different', faults, words: recorded };
}

/** The words that postern would not write; else those that are missing. */
function differingWords(is: readonly string[], should: readonly string[]): string {
  const added = is.filter((word) => !should.includes(word));
  const differing = added.length > 0 ? added : should.filter((word) => !is.includes(word));
  if (differing.length === 0) return is.join(' ') === should.join(' ') ? '' : 'the order of its words';
  // What a variable holds may be a secret.
  const shown = (word: string) => (/^[A-Za-z_]\w*=/.test(word) ? (word.split('=')[0] ?? '') : quoted(word, 80));
  return differing.map((word) => printable(shown(word), 100)).join(' ');
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
  { machine, run }: ExternalPrograms,
  { program, url }: SetupRequest,
  call: readonly string[],
  signal: AbortSignal,
): Promise<Pick<CheckedEntry, 'end' | 'response'>> {
  const { words: more, input, env } = invocationOf(program, url, machine);
  const words = [...call, ...more];
  const command = program.calls === 'headers' ? shellLine(machine.platform, words) : words;
  if (command === undefined) throw wordsUnsayable(program.title);
  const end = await run({ command, env, folder: machine.homedir, input, limitMs: callersWait, signal });
  if (end.kind !== 'ended') return { end: end.kind, response: { kind: 'nothing' } };
  const { code, stdout, stderr } = end;
  return { end: { code, stderr }, response: code === 0 ? readResponse(program.calls, stdout) : { kind: 'nothing' } };
}
