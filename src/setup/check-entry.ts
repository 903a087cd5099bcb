import type { HttpPorts } from '../http/request.js';
import type { ProgramEnd } from '../stores/run-program.js';
import { wordsUnsayable } from './failures.js';
import { entryValue } from './formats/entry.js';
import { type FoundEntry, readFound, variablesIn } from './found-entry.js';
import type { ExternalPrograms } from './machine/ports.js';
import { planEntry, planLine, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { type OldProgram, oldProgram } from './program-version.js';
import type { EntryCall } from './programs/entry-call.js';
import { callWords, configuredLine, type EntryRequest, type Program } from './programs/program.js';
import { invocationEnvironment, type ProgramResponse, readResponse } from './programs/responses.js';

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
  /** `not-run`: the call in the file is not ours to run, or cannot be started. */
  readonly end:
    | Exclude<ProgramEnd['kind'], 'ended'>
    | 'not-run'
    | { readonly code: number | null; readonly stderr: string };
  readonly response: ProgramResponse;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
export const callersWait = 10_000;

type CheckWorld = Pick<ExternalPrograms, 'machine' | 'files' | 'run' | 'find'>;

/**
 * Compares the entry in the file with the one that would be written, and runs what the program would run by it: the login
 * that it names, with what the program leaves of the environment, from the home folder, with the callers' time limit.
 * Only our own command is run, never one that is in the file. Where there is no entry yet, the one that would be written
 * is tried. Of the token that comes only the length is kept.
 * @throws Failure of `planEntry`, or the signal's reason
 */
export async function checkEntry(
  world: CheckWorld,
  ports: Pick<HttpPorts, 'http'>,
  request: SetupRequest,
  signal: AbortSignal,
): Promise<CheckedEntry> {
  const { program } = request;
  const plan = program.line === undefined ? await planEntry(world, request) : undefined;
  const { state, faults, call } = plan ? await readFound(world, plan) : { state: 'no-file' as const, faults: [] };
  const [wanted] = plan ? [plan.wanted] : planLine(world.machine, request);
  const blocks = plan ? [...(program.blocks?.(wanted) ?? [])] : [];
  const old = await oldProgram(world, ports, request, signal);
  const isOurs = state !== 'other' && !faults.some(({ kind }) => kind === 'not-there');
  const result = isOurs
    ? await runCall(world, program, plan && call ? asFound(plan, call) : wanted, signal)
    : ({ end: 'not-run', response: { kind: 'nothing' } } as const);
  return { request, plan, state, faults, blocks, old, ...result };
}

/** The request that makes the very call of the file: its words for the login, its variables, its address. */
function asFound({ wanted, entry }: SetupPlan, call: EntryCall): EntryRequest {
  const { server, options } = call;
  const { url: found } = (entryValue(wanted.text, entry.key) ?? {}) as { readonly url?: unknown };
  const url = typeof found === 'string' ? found : wanted.url;
  return { ...wanted, url, server, options, machine: { ...wanted.machine, variables: variablesIn(call) } };
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
