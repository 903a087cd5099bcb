import { type ExitCode, exitCode } from '../core/failure.js';
import { redact } from '../core/secret.js';
import { type Catalogue, type FindingId, type FindingKind, type Level, type StepName, stepOf } from './findings.js';

/** What a check has found, or that it found nothing. */
export interface Finding {
  /** Undefined: passed, or skipped. */
  readonly id?: string;
  readonly step: StepName;
  readonly level: Level;
  /** One line: what was seen, or why it was not looked at. May hold a server's words: shown through `printable` alone. */
  readonly evidence: string;
  readonly kind?: FindingKind;
  /** In place of the catalogue's remedy, where more is known. */
  readonly remedy?: string | undefined;
}

/** What the checks of one run have found, in the order of the steps. */
export class Report {
  readonly #catalogue: Catalogue;
  readonly #findings: Finding[] = [];

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  pass(step: StepName, evidence: string): void {
    this.#add({ step, level: 'pass', evidence });
  }

  /** @param why Ends the line, e.g. `needs a login: --login`. */
  skip(step: StepName, why: string): void {
    this.#add({ step, level: 'skipped', evidence: why });
  }

  /** @param remedy In place of the catalogue's. */
  found(id: FindingId, evidence: string, remedy?: string): void {
    const kind = this.#catalogue[id];
    const { step, level } = kind;
    this.#add({ id, step, level, evidence, kind, remedy: remedy && redact(remedy) });
  }

  #add(finding: Finding): void {
    const { id, step, level } = finding;
    const evidence = redact(finding.evidence);
    const isKnown = this.#findings.some(
      (one) => one.id === id && one.step === step && one.level === level && one.evidence === evidence,
    );
    if (!isKnown) this.#findings.push({ ...finding, evidence });
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

  /** The exit code: that of the first cause, where it is as bad as `failOn` says. */
  exit(failOn: 'error' | 'warning' | 'never'): 0 | ExitCode {
    const { firstCause } = this;
    const counts = firstCause?.level === 'failure' || failOn === 'warning';
    if (firstCause === undefined || failOn === 'never' || !counts) return 0;
    return firstCause.kind?.exit ?? exitCode.serverBreaksRules;
  }
}
