import type { ExitCode } from '../core/failure.js';
import { exitCode } from '../core/failure.js';
import { type Finding, type Level, type StepName, stepOf } from './finding.js';
import type { Catalogue, FindingId } from './findings.js';
import { HiddenSecrets } from './hidden-secrets.js';

/** What the checks of one run have found, in the order of the steps. */
export class Report {
  readonly #catalogue: Catalogue;
  readonly #findings: Finding[] = [];
  /** What no evidence may hold, whoever says it. */
  readonly hidden = new HiddenSecrets();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  pass(step: StepName, said: string): void {
    const evidence = this.hidden.without(said);
    if (this.#findings.some((one) => one.level === 'pass' && one.evidence === evidence)) return;
    this.#findings.push({ id: undefined, step, level: 'pass', evidence, kind: undefined, remedy: undefined });
  }

  /** @param why Ends the line, e.g. `needs a login: --login`. */
  skip(step: StepName, why: string): void {
    const evidence = this.hidden.without(why);
    this.#findings.push({ id: undefined, step, level: 'skipped', evidence, kind: undefined, remedy: undefined });
  }

  /** @param otherRemedy In place of the catalogue's. */
  found(id: FindingId, said: string, otherRemedy?: string): void {
    const evidence = this.hidden.without(said);
    const remedy = otherRemedy === undefined ? undefined : this.hidden.without(otherRemedy);
    const kind = this.#catalogue[id];
    if (this.has(id) && this.#findings.some((one) => one.id === id && one.evidence === evidence)) return;
    this.#findings.push({ id, step: kind.step, level: kind.level, evidence, kind, remedy });
  }

  has(id: FindingId): boolean {
    return this.#findings.some((one) => one.id === id);
  }

  /** In the order of the steps, and there in the order in which they were found. */
  get findings(): readonly Finding[] {
    return this.#findings.toSorted((one, other) => stepOf(one.step).number - stepOf(other.step).number);
  }

  /** Why a login fails: the first failure of all steps, else why it is not safe, else the first warning. Undefined: nothing is wrong. */
  get firstCause(): Finding | undefined {
    const { findings } = this;
    const failures = findings.filter(({ level }) => level === 'failure');
    const fails = failures.find(({ kind }) => kind?.isUnsafe !== true) ?? failures[0];
    return fails ?? findings.find(({ level }) => level === 'warning');
  }

  /** The worst of what was found. */
  get worst(): Level {
    const levels = this.#findings.map(({ level }) => level);
    return (['failure', 'warning', 'note'] as const).find((level) => levels.includes(level)) ?? 'pass';
  }
}

/** From which level on a run fails. */
export type FailOn = 'error' | 'warning' | 'never';

/** The exit code: that of the first cause, where it is as bad as `failOn` says. */
export function exitOf(report: Report, failOn: FailOn): 0 | ExitCode {
  const { firstCause } = report;
  const counts = failOn === 'warning' ? ['failure', 'warning'] : ['failure'];
  if (failOn === 'never' || firstCause === undefined || !counts.includes(firstCause.level)) return 0;
  return firstCause.kind?.exit ?? exitCode.serverBreaksRules;
}
