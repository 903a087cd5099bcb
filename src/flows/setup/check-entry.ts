import { wordsUnsayable } from '../../errors/setup.js';
import type { CommandEnd, Neighbours } from '../../ports/neighbours.js';
import { findEntry } from '../../primitives/edit/entry.js';
import { type ProbeAnswer, probeEnvironment } from '../../protocol/setup/probe.js';
import {
  configurationFile,
  planEntry,
  plannedText,
  type SetupPlan,
  type SetupRequest,
} from './plan-entry.js';

/** What a program that is set up would get. */
export interface CheckedEntry {
  /** Undefined for a program that has no file. */
  readonly plan: SetupPlan | undefined;
  /** Is the entry in the file what `--write` would make? */
  readonly place: 'there' | 'missing' | 'different' | 'no-file';
  readonly end:
    | Exclude<CommandEnd['kind'], 'ended'>
    | { readonly code: number | null; readonly stderr: string };
  readonly answer: ProbeAnswer;
}

/** Claude Code, Codex CLI and Bazel wait no longer. */
export const callersWait = 10_000;

/**
 * Looks whether the entry is in its place, and runs what the program would run: with what it leaves of the
 * environment, from the home folder, with the callers' time limit. Only our own command is run, never one that
 * stands in the file. The token that comes is looked at, and forgotten here.
 * @throws Failure of `planEntry`, or the signal's reason
 */
export async function checkEntry(
  world: Pick<Neighbours, 'machine' | 'files' | 'run'>,
  request: SetupRequest,
  signal: AbortSignal,
): Promise<CheckedEntry> {
  const { machine } = world;
  const hasFile = configurationFile(world, request.program, request.scope) !== undefined;
  const plan = hasFile || request.program.line === undefined ? await planEntry(world, request) : undefined;
  const probe = request.program.probe({ ...request, machine, text: plan?.file.text ?? '' });
  if (probe === undefined) throw wordsUnsayable(request.program.title);
  const end = await world.run({
    command: probe.command,
    env: probeEnvironment(machine, probe),
    folder: machine.homedir,
    input: probe.input,
    limitMs: callersWait,
    signal,
  });
  const place = plan === undefined ? 'no-file' : placeOf(plan);
  if (end.kind !== 'ended') return { plan, place, end: end.kind, answer: { kind: 'nothing' } };
  const { code, stdout, stderr } = end;
  return {
    plan,
    place,
    end: { code, stderr },
    answer: code === 0 ? probe.read(stdout) : { kind: 'nothing' },
  };
}

function placeOf(plan: SetupPlan): CheckedEntry['place'] {
  const { file, entry } = plan;
  if (file.text === undefined) return 'missing';
  if (plannedText(plan) === file.text) return 'there';
  const found = findEntry(file.text, entry.key);
  return found.ok && found.raw === undefined ? 'missing' : 'different';
}
