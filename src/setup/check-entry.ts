import type { HttpPorts } from '../http/request.js';
import type { ProgramEnd } from '../stores/run-program.js';
import { wordsUnsayable } from './failures.js';
import { type FoundEntry, readFound } from './found-entry.js';
import type { ExternalPrograms } from './machine/ports.js';
import { planEntry, planLine, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { type OldProgram, oldProgram } from './program-version.js';
import { callWords, configuredLine, type EntryRequest, type Program } from './programs/program.js';
import { invocationEnvironment, type ProgramResponse, readResponse } from './programs/responses.js';
import { recordOf } from './recorded-entry.js';

/** What a program that is set up would get. */
export interface CheckedEntry extends Pick<FoundEntry, 'faults'> {
  readonly request: SetupRequest;
  /** Undefined for a program that has no file. */
  readonly plan: SetupPlan | undefined;
  /** The entry in the file: what `--write` would make, something else, somebody else's, or none. */
  readonly state: FoundEntry['state'] | 'no-file';
  /** What keeps the program from using it, each in a sentence. */
  readonly blocks: readonly string[];
  readonly old: OldProgram | undefined;
  /** `not-run`: the entry is not as postern writes it, or starts nothing. `compared`: nothing was to be run. */
  readonly end:
    | Exclude<ProgramEnd['kind'], 'ended'>
    | 'not-run'
    | 'compared'
    | { readonly code: number | null; readonly stderr: string };
  readonly response: ProgramResponse;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
export const callersWait = 10_000;

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
  const record = plan && (await recordOf(world.records, plan))?.record;
  const { state, faults, recorded } = plan
    ? await readFound(world, plan, record)
    : { state: 'no-file' as const, faults: [], recorded: undefined };
  const [wanted] = plan ? [plan.wanted] : planLine(world.machine, request);
  const blocks = plan ? [...(program.blocks?.(wanted) ?? [])] : [];
  const old = await oldProgram(world, mode === 'run' ? ports : undefined, request, signal);
  const about = { request, plan, state, faults, blocks, old };
  const isOurs = state !== 'different' && state !== 'other';
  const isGone = faults.some(({ kind }) => kind === 'not-there');
  const call = recorded && { ...wanted, ...recorded, machine: { ...wanted.machine, variables: recorded.variables } };
  const run = call ?? (isOurs ? wanted : undefined);
  if (mode === 'compare') return { ...about, end: 'compared', response: { kind: 'nothing' } };
  if (run === undefined || isGone) return { ...about, end: 'not-run', response: { kind: 'nothing' } };
  return { ...about, ...(await runCall(world, program, run, signal)) };
}

async function runCall(
  world: CheckWorld,
  program: Program,
  wanted: EntryRequest,
  signal: AbortSignal,
): Promise<Pick<CheckedEntry, 'end' | 'response'>> {
  const { machine } = world;
  const invocation = program.invocation?.(wanted) ?? {};
  const words = [...callWords(program.calls, wanted), ...(invocation.words ?? [])];
  const command = invocation.inShell === true ? configuredLine(machine.platform, words) : words;
  if (command === undefined) throw wordsUnsayable(program.title);
  const env = invocationEnvironment(machine, invocation);
  const { input = 'closed' } = invocation;
  const end = await world.run({ command, env, folder: machine.homedir, input, limitMs: callersWait, signal });
  if (end.kind !== 'ended') return { end: end.kind, response: { kind: 'nothing' } };
  const { code, stdout, stderr } = end;
  return { end: { code, stderr }, response: code === 0 ? readResponse(program.calls, stdout) : { kind: 'nothing' } };
}
