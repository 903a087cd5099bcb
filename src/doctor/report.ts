import type { ExitCode } from '../core/failure.js';
import { exitCode } from '../core/failure.js';
import { type Finding, type Level, type StepName, stepOf } from './finding.js';
import type { Catalogue, FindingId } from './findings.js';

/** What the checks of one run have found, in the order of the steps. */
export class Report {
  readonly #catalogue: Catalogue;
  readonly #findings: Finding[] = [];
  /** What no evidence may hold, whoever says it. */
  readonly hidden = new HiddenSecrets();

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
    this.#add({ id, step, level, evidence, kind, remedy: remedy && this.hidden.without(remedy) });
  }

  #add(finding: Finding): void {
    const { id, step, level } = finding;
    const evidence = this.hidden.without(finding.evidence);
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

/** Pieces of this length of a secret are not printed either: texts are cut. In characters. */
const pieceLength = 12;

/** Shorter texts stand in too many words. In characters. */
const minLength = 6;

/** Longest part of a secret that is looked at, in characters. */
const maxLength = 20_000;

/** The secrets of one run: a server's words may say them back, whole, cut, or as a URL writes them. */
export class HiddenSecrets {
  readonly #short = new Set<string>();
  readonly #pieces = new Set<string>();

  /** From now on neither it nor a piece of it is shown. */
  hide(secret: string): void {
    for (const form of [secret, encodeURIComponent(secret.replace(/\p{Surrogate}/gu, ''))]) {
      const text = form.slice(0, maxLength);
      if (text.length >= minLength && text.length < pieceLength) this.#short.add(text);
      for (let at = 0; at + pieceLength <= text.length; at += 1) this.#pieces.add(text.slice(at, at + pieceLength));
    }
  }

  /** The text with *** where a secret stood. */
  without(text: string): string {
    let clean = '';
    let end = 0; // of what is left out
    for (let at = 0; at < text.length; at += 1) {
      if (this.#pieces.has(text.slice(at, at + pieceLength))) {
        if (at >= end) clean += '***';
        end = at + pieceLength;
      }
      if (at >= end) clean += text.charAt(at);
    }
    return [...this.#short].reduce((shown, secret) => shown.replaceAll(secret, '***'), clean);
  }
}
