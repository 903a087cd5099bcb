import { clientInfo } from '../../core/product.js';
import { visibleUrl } from '../../core/resource.js';
import { redact } from '../../core/secret.js';
import { htmlText, printable } from '../../core/text/printable.js';
import { stepOf } from '../findings.js';
import type { Finding, Report } from '../report.js';
import { headerValues, type SeenExchange, type SeenResponse } from '../seen-http.js';

/** The report as the one dialect has it; nothing of a server's is in it but as printable text. */
export function reportJson(subject: string, { firstCause, findings, worst }: Report) {
  return {
    subject: printable(subject, 2_000),
    worst,
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

/** The report as JUnit's XML, which CI servers read: a test case for each finding, by the steps of a login. */
export function junitXml(subject: string, { findings }: Report): string {
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
  const seen = attribute(evidence);
  if (level === 'skipped') return `${head}><skipped message="${seen}"/></testcase>`;
  if (kind === undefined) return `${head}/>`;
  const text = htmlText(`${kind.title}. ${printable(remedy ?? kind.remedy, 600)} (${kind.source})`);
  if (level === 'failure') return `${head}><failure type="${id}" message="${seen}">${text}</failure></testcase>`;
  return `${head}><system-out>${level}: ${seen} ${text}</system-out></testcase>`;
}

/** Printable text has no control characters left, which XML has no way to hold. */
const attribute = (text: string) => htmlText(printable(text, 600));

/** Headers that say how a login goes on, and hold no secret; of others the name alone is kept. */
const shown: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'date', 'server', 'via', 'www-authenticate', 'cache-control', 'retry-after'],
  ...['x-accel-buffering', 'allow', 'vary', 'strict-transport-security', 'mcp-protocol-version'],
]);

/** Characters of a document that are kept. */
const maxDocument = 16_384;

/** All of a run for a bug report: no token, cookie or session is in it, nor the names of other logins. */
export function bundleOf(subject: string, report: Report, exchanges: readonly SeenExchange[], runtime: string) {
  // What is sent after a login may be said back.
  const clean = (text: string, longest: number) => printable(redact(text), longest);
  const responseOf = (method: string, { status, url, headers, bytes }: SeenResponse) => {
    const isJson = headerValues({ headers }, 'content-type').some((type) => /\bjson\b/i.test(type));
    return {
      status,
      url: clean(visibleUrl(url), 2_000),
      headers: headers.map(([name, value]) => [clean(name, 200), shown.has(name) ? clean(value, 1_000) : '***']),
      // Metadata is public; what else comes may be meant for one reader.
      document: method === 'GET' && isJson ? clean(new TextDecoder().decode(bytes), maxDocument) : null,
    };
  };
  return {
    program: { ...clientInfo, runtime },
    report: reportJson(subject, report),
    requests: exchanges.map(({ method, url, ms, response, failure }) => ({
      method,
      url: clean(visibleUrl(url), 2_000),
      ms,
      failure: failure === undefined ? null : { code: failure.code, message: clean(failure.message, 1_000) },
      response: response === undefined ? null : responseOf(method, response),
    })),
  };
}
