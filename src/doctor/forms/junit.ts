import { htmlText, printable } from '../../core/text/printable.js';
import { type Finding, stepOf } from '../finding.js';
import type { Report } from '../report.js';

/** The report as JUnit's XML, which CI servers read: a test case for each finding, by the steps of a login. */
export function junitXml(subject: string, report: Report): string {
  const { findings } = report;
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
  const name = attribute(`postern doctor ${subject}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${findings.length}" failures="${count('failure')}">`,
    `  <testsuite name="${name}" tests="${findings.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}">`,
    ...findings.map(caseXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseXml({ id, step, level, evidence, kind, remedy }: Finding): string {
  const { number, title } = stepOf(step);
  const head = `    <testcase classname="${attribute(`${number} ${title}`)}" name="${attribute(id ?? evidence)}"`;
  const said = attribute(evidence);
  if (level === 'skipped') return `${head}><skipped message="${said}"/></testcase>`;
  if (kind === undefined) return `${head}/>`;
  const text = htmlText(`${kind.title}. ${printable(remedy ?? kind.remedy, 600)} (${kind.source})`);
  if (level === 'failure') return `${head}><failure type="${id}" message="${said}">${text}</failure></testcase>`;
  return `${head}><system-out>${level}: ${said} ${text}</system-out></testcase>`;
}

/** Printable text has no control characters left, which XML has no way to hold. */
const attribute = (text: string) => htmlText(printable(text, 600));
