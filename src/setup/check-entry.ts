import type { HttpPorts } from '../http/request.js';
import type { ProgramEnd } from '../stores/programs.js';
import { wordsUnsayable } from './failures.js';
import { entryValue } from './formats/entry.js';
import {
  callOfOurs,
  configurationFile,
  entryRequests,
  planEntry,
  type SetupPlan,
  type SetupRequest,
} from './plan-entry.js';
import type { ExternalPrograms } from './ports.js';
import { type OldProgram, oldProgram } from './program-version.js';
import { type Answer, askingEnvironment } from './programs/answers.js';
import { type EntryRequest, isExpanded, shellLine } from './programs/program.js';
import { type EntryFault, readWritten, type WrittenEntry } from './written-entry.js';

/** What a program that is set up would get. */
export interface CheckedEntry {
  readonly request: SetupRequest;
  /** Undefined for a program that has no file. */
  readonly plan: SetupPlan | undefined;
  /** The entry in the file: what `--write` would make, something else, somebody else's, or none. */
  readonly place: WrittenEntry['place'] | 'no-file';
  readonly faults: readonly EntryFault[];
  /** What keeps the program from using it, each in a sentence. */
  readonly blocks: readonly string[];
  readonly old: OldProgram | undefined;
  /** `not-run`: what stands in the file is not ours to run, or cannot be started. */
  readonly end:
    | Exclude<ProgramEnd['kind'], 'ended'>
    | 'not-run'
    | { readonly code: number | null; readonly stderr: string };
  readonly answer: Answer;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
export const callersWait = 10_000;

type CheckWorld = Pick<ExternalPrograms, 'machine' | 'files' | 'run' | 'find'>;

/**
 * Judges the entry as it stands in the file, and runs what the program would run by it: the login that it names, with
 * what the program leaves of the environment, from the home folder, with the callers' time limit. Only our own command is
 * run, never one that stands in the file. Where there is no entry yet, the one that would be written is tried. The token
 * that comes is looked at, and forgotten here.
 * @throws Failure of `planEntry`, or the signal's reason
 */
export async function checkEntry(
  world: CheckWorld,
  ports: Pick<HttpPorts, 'http'>,
  request: SetupRequest,
  signal: AbortSignal,
): Promise<CheckedEntry> {
  const { machine, files } = world;
  const { program } = request;
  const hasFile = (request.path ?? configurationFile(world, program, request.scope)) !== undefined;
  const plan = hasFile || program.line === undefined ? await planEntry(world, request) : undefined;
  const written: WrittenEntry | undefined = plan && (await readWritten({ machine, files }, plan));
  const place: CheckedEntry['place'] = written?.place ?? 'no-file';
  const faults = written !== undefined && 'faults' in written ? written.faults : [];
  const common = {
    request,
    plan,
    place,
    faults,
    blocks: plan === undefined ? [] : (program.blocks?.(plan.wanted) ?? []),
    old: await oldProgram(world, ports, request, signal),
  };
  if (place === 'other' || faults.some(({ kind }) => kind === 'not-there')) {
    return { ...common, end: 'not-run', answer: { kind: 'nothing' } };
  }
  const [first] = plan === undefined ? entryRequests(machine, request, '') : [plan.wanted];
  const asked = first && (written === undefined ? first : asWritten(first, plan, written));
  const asking = (asked && program.asks?.(asked)) ?? {};
  const words = asked === undefined ? [] : [...callOfOurs(program, asked), ...(asking.words ?? [])];
  const line = isExpanded(words) ? undefined : shellLine(machine.platform, words);
  const command = asking.inShell === true ? line : words;
  if (asked === undefined || command === undefined) throw wordsUnsayable(program.title);
  const end = await world.run({
    command,
    env: askingEnvironment(machine, asking),
    folder: machine.homedir,
    input: asking.input ?? 'closed',
    limitMs: callersWait,
    signal,
  });
  if (end.kind !== 'ended') return { ...common, end: end.kind, answer: { kind: 'nothing' } };
  const { code, stdout, stderr } = end;
  const answer: Answer = code === 0 ? program.reads(stdout) : { kind: 'nothing' };
  return { ...common, end: { code, stderr }, answer };
}

/** The request that makes the very call of the file: its words for the login, its variables, its address. */
function asWritten(wanted: EntryRequest, plan: SetupPlan | undefined, written: WrittenEntry): EntryRequest {
  if (!('call' in written) || plan === undefined) return wanted;
  const { call, variables } = written;
  const value = entryValue(wanted.text, plan.entry.key);
  const { url } = (value ?? {}) as { readonly url?: unknown };
  return {
    ...wanted,
    url: typeof url === 'string' ? url : wanted.url,
    server: call.server,
    options: call.options,
    machine: { ...wanted.machine, variables },
  };
}
