import { columnsOf, fitted, wrapped } from '../../core/text/layout.js';
import { type Look, type Tone, toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';
import { actors, type FindingKind, type Level, machineSteps, needsLogin, stepOf, steps } from '../findings.js';
import type { Finding, Report } from '../report.js';

const marks: Readonly<Record<Level, readonly [word: string, tone: Tone]>> = {
  pass: ['PASS', 'good'],
  note: ['NOTE', 'name'],
  warning: ['WARN', 'warning'],
  failure: ['FAIL', 'bad'],
  skipped: ['SKIP', 'dim'],
};

/** The first cause on top, then each step with what was seen. */
export function reportLines(subject: string, report: Report, look: Look): readonly string[] {
  const { findings, firstCause } = report;
  return [
    ...(firstCause?.kind === undefined
      ? [wellLine(subject, findings, look)]
      : causeLines(firstCause, firstCause.kind, look)),
    '',
    ...rowsOf(findings).flatMap((row) => rowLines(row, firstCause, look)),
  ];
}

function wellLine(subject: string, findings: readonly Finding[], look: Look): string {
  const free = findings.find(({ id }) => id === 'login-not-needed');
  if (free !== undefined)
    return `${toned(look, 'good', `${printable(subject)} needs no login.`)} ${printable(free.remedy ?? '', 600)}`;
  const out = findings.filter(({ evidence }) => evidence === needsLogin).length;
  const all = new Set(findings.map(({ step }) => step)).size;
  const rest = out === 0 ? '' : `; ${out} of ${all} steps need --login`;
  return toned(look, 'good', `No problems found with ${printable(subject)}${rest}.`);
}

function causeLines(cause: Finding, kind: FindingKind, look: Look): readonly string[] {
  const { id = '', evidence, remedy = kind.remedy } = cause;
  const row = (label: string, text: string) => behind(`  ${label.padEnd(8)}`, text, look.width);
  return [
    ...fitted(toned(look, marks[cause.level][1], `${beginOf(cause)}: ${kind.title}.`), look.width),
    ...row('seen', printable(evidence, 600)),
    ...row('to act', actors[kind.who]),
    ...row('do', printable(remedy, 600)),
    ...row('more', `postern doctor --explain ${id}`),
  ];
}

function beginOf({ step, level, kind }: Finding): string {
  if (step in machineSteps) return 'Here is trouble';
  if (kind?.isUnsafe === true) return 'A login here is not safe';
  return level === 'failure' ? 'A login fails' : 'A login works, and there is trouble';
}

/** What stands on lines of its own: a step, or several that were skipped for one reason. */
interface Row {
  readonly head: string;
  readonly findings: readonly Finding[];
}

const order: readonly Level[] = ['failure', 'warning', 'note', 'pass', 'skipped'];

/** The steps in order; those that were skipped for the reason that stood before are one row with it. */
function rowsOf(findings: readonly Finding[]): readonly Row[] {
  const rows: Row[] = [];
  let skipped: { why: string; from: number } | undefined;
  for (const step of new Set(findings.map((one) => one.step))) {
    const found = findings.filter((one) => one.step === step);
    const sorted = found.toSorted((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
    const [worst] = sorted;
    if (worst === undefined) continue;
    const { number, title } = stepOf(step);
    if (worst.level === 'skipped' && skipped?.why === worst.evidence) {
      rows.splice(-1, 1, { head: `${String(skipped.from).padStart(2)}–${number}`, findings: [worst] });
      continue;
    }
    skipped = worst.level === 'skipped' ? { why: worst.evidence, from: number } : undefined;
    rows.push({ head: `${String(number).padStart(2)}  ${title}`, findings: shownOf(sorted, worst.level) });
  }
  return rows;
}

/** Of a step: what is wrong, or else all that passed, in one paragraph; and what was skipped, with why. */
function shownOf(sorted: readonly Finding[], worst: Level): readonly Finding[] {
  const of = (...levels: readonly Level[]) => sorted.filter(({ level }) => levels.includes(level));
  const [first, ...others] = of('pass');
  const evidence = [first, ...others].map((one) => one?.evidence).join('; ');
  const hasPassed = first !== undefined && (worst === 'pass' || worst === 'note');
  return [...of('failure', 'warning', 'note'), ...(hasPassed ? [{ ...first, evidence }] : []), ...of('skipped')];
}

/** Where titles stand beside what was found. */
const wideColumns = 80;

const titleColumns = Math.max(...Object.values({ ...steps, ...machineSteps }).map(({ title }) => title.length)) + 6;

function rowLines({ head, findings }: Row, firstCause: Finding | undefined, look: Look): readonly string[] {
  const isWide = look.width >= wideColumns;
  const lines = findings.flatMap((finding, at) => {
    const [word, tone] = marks[finding.level];
    const before = isWide ? (at === 0 ? head : '').padEnd(titleColumns) : '    ';
    return behind(`${before}${toned(look, tone, word)}  `, textOf(finding, finding === firstCause, look), look.width);
  });
  return isWide ? lines : [head, ...lines];
}

/** @param isShown What was seen stands on top. */
function textOf({ evidence, id, kind }: Finding, isShown: boolean, look: Look): string {
  const text = [kind?.title, isShown ? '' : printable(evidence, 600)].filter(Boolean).join(': ');
  return id === undefined ? text : `${text} ${toned(look, 'dim', `[${id}]`)}`;
}

/** A paragraph beside what stands before its first line. */
function behind(before: string, text: string, width: number): readonly string[] {
  const indent = columnsOf(before);
  const [first = '', ...rest] = wrapped(text, width, indent);
  return [before + first.trimStart(), ...rest];
}
