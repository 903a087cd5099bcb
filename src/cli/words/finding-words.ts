import type { DocumentCheck, PlacedFinding } from '../../flows/client-metadata/check.js';
import { printable } from '../../primitives/printable.js';

const words = { failure: 'FAILS', warning: 'note' } as const;

/** The result of `client-metadata check` for a person: each finding with its rule and its remedy, then the sum. */
export function checkLines(path: string | undefined, check: DocumentCheck): readonly string[] {
  const { findings, fetched, unreachable } = check;
  const url = check.url === undefined ? undefined : printable(check.url);
  const failures = findings.filter(({ verdict }) => verdict === 'failure').length;
  const lines = findings.flatMap((finding) => findingLines(finding, path));
  const judged = [path === undefined ? undefined : printable(path), fetched ? url : undefined];
  const subjects = judged.filter((one) => one !== undefined).join(', and what is served at ');
  const sum =
    failures > 0
      ? `${count(failures, 'rule is', 'rules are')} broken${subjects === '' ? '' : `: ${subjects}`}`
      : `Holds: ${subjects}`;
  const notes = findings.length - failures;
  const asked = fetched || unreachable !== undefined ? [] : [notAsked(url)];
  return [...lines, `${sum}${notes === 0 ? '' : ` (${count(notes, 'note', 'notes')})`}`, ...asked];
}

function findingLines(finding: PlacedFinding, path: string | undefined): readonly string[] {
  const { rule, verdict, what, remedy, where } = finding;
  const place = path === undefined ? '' : where === 'file' ? ' in the file:' : ' served:';
  return [
    `${words[verdict].padEnd(5)} ${place.trim()}${place === '' ? '' : ' '}${what} [${rule}]`,
    `      ${remedy}`,
  ];
}

function notAsked(url: string | undefined): string {
  return url === undefined ? 'Nothing was asked: there is no address.' : `${url} was not asked.`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** One finding as JSON. */
export function findingJson({ code, rule, verdict, what, remedy, where }: PlacedFinding) {
  return { code, rule, verdict, where, what, remedy };
}
