import { exitCode, isFailure } from '../core/failure.js';
import type { CheckedProgram } from '../core/ports.js';
import type { HttpPorts } from '../http/request.js';
import type { StorePorts } from '../stores/ports.js';
import { type CheckMode, checkEntry } from './check-entry.js';
import { machineFor } from './environment.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import type { SetupRequest } from './plan-entry.js';
import { type CheckResult, exitOfCheck, resultLines } from './render-check.js';
import { requestsToCheck, type SetupArguments } from './target.js';

export interface CheckProgramsWorld extends HttpPorts, Pick<StorePorts, 'index'> {
  readonly externalPrograms: () => Promise<ExternalPrograms>;
  readonly signal: AbortSignal;
}

/**
 * Checks the entries that are meant, one after the other. One that cannot be checked does not keep the others from it.
 * @throws Failure of `requestsToCheck`
 */
export async function checkAll(world: CheckProgramsWorld, args: SetupArguments, mode: CheckMode) {
  const programs = await world.externalPrograms();
  const { all, isOne } = await requestsToCheck(world, programs, args);
  const results: CheckResult[] = [];
  for (const request of all) {
    const machine = machineFor(programs.machine, request.program, args.withProxy === true);
    results.push(await checkOne(world, { ...programs, machine }, request, mode));
  }
  return { results, isOne };
}

async function checkOne(
  world: CheckProgramsWorld,
  programs: ExternalPrograms,
  request: SetupRequest,
  mode: CheckMode,
): Promise<CheckResult> {
  try {
    return { request, checked: await checkEntry(programs, world, request, { mode, signal: world.signal }) };
  } catch (failure) {
    if (!isFailure(failure) || failure.exit === exitCode.interrupted) throw failure;
    return { request, failure };
  }
}

/**
 * What a program would get that `setup` has written an entry for; without one all entries are compared, and none is run.
 * @throws Failure `program_unknown`, and of the program's login where nothing was written for it
 */
export async function checkPrograms(
  world: CheckProgramsWorld,
  program: string | undefined,
): Promise<readonly CheckedProgram[]> {
  const { results } = await checkAll(world, { program }, program === undefined ? 'compare' : 'run');
  const { logins } = await world.index.read();
  return results.map((result) => ({
    title: result.request.program.title,
    server: result.request.url,
    exit: exitOfCheck(result),
    lines: resultLines(result, logins, false),
  }));
}
