import { printable } from '../../core/text/printable.js';
import { type Finding, stepOf } from '../finding.js';
import type { Report } from '../report.js';

/** The report as the one dialect has it; nothing of a server's is in it but as printable text. */
export function reportJson(subject: string, report: Report) {
  const { firstCause, findings } = report;
  return {
    subject: printable(subject, 2_000),
    worst: report.worst,
    firstCause: firstCause === undefined ? null : findingJson(firstCause),
    findings: findings.map(findingJson),
  };
}

function findingJson({ id, step, level, evidence, kind, remedy }: Finding) {
  return {
    id: id ?? null,
    step: stepOf(step).number,
    stepName: step,
    level,
    who: kind?.who ?? null,
    title: kind?.title ?? null,
    evidence: printable(evidence, 2_000),
    remedy: kind === undefined ? null : printable(remedy ?? kind.remedy, 2_000),
    rule: kind?.source ?? null,
  };
}
