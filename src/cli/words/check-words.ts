import type { CheckedEntry } from '../../flows/setup/check-entry.js';
import { printable, quoted } from '../../primitives/printable.js';

/** What the program would get, for a person; never a token. */
export function checkLines({ plan, place, end, answer }: CheckedEntry, title: string): readonly string[] {
  const places = {
    there: `The entry is in ${printable(plan?.file.path ?? '', 300)}.`,
    missing: `The entry is not in ${printable(plan?.file.path ?? '', 300)}: add --write in place of --check.`,
    different: `The entry in ${printable(plan?.file.path ?? '', 300)} is not what postern would write now: add --write in place of --check.`,
    'no-file': '',
  };
  return [places[place], `${title} ${answerInWords(end, answer)}.`, ...stderrLines(end, answer)].filter(
    (line) => line !== '',
  );
}

export function checkJson({ plan, place, end, answer }: CheckedEntry) {
  return {
    file: plan?.file.path ?? null,
    entry: place,
    answer: answer.kind,
    exit: typeof end === 'string' ? null : end.code,
    ended: typeof end === 'string' ? end : 'by itself',
    stderr: typeof end === 'string' ? '' : printable(end.stderr.trim(), 600),
  };
}

function answerInWords(end: CheckedEntry['end'], answer: CheckedEntry['answer']): string {
  if (end === 'timeout') return 'would get nothing: postern took longer than the 10 s that it waits';
  if (end === 'too_much') return 'would get nothing: the answer is too large';
  if (end === 'not_started') return 'could not start postern at all';
  if (end.code !== 0) return `would get nothing: postern ended with exit code ${end.code ?? 'none (killed)'}`;
  switch (answer.kind) {
    case 'token':
      return `would get a token of ${answer.length} characters`;
    case 'server':
      return `would be connected to the server ${printable(answer.name, 100)}`;
    case 'refused':
      return `would be refused: ${quoted(answer.why, 400)}`;
    case 'nothing':
      return 'would get no credential, and no error';
    case 'unreadable':
      return 'would get an answer that it cannot read';
  }
}

/** What postern said; not a second time what the program is told in the protocol's own words. */
function stderrLines(end: CheckedEntry['end'], answer: CheckedEntry['answer']): readonly string[] {
  if (typeof end === 'string' || end.stderr.trim() === '') return [];
  if (answer.kind === 'refused' && answer.why !== '' && end.stderr.includes(answer.why)) return [];
  return end.stderr
    .trim()
    .split('\n')
    .slice(0, 6)
    .map((line) => `  ${printable(line, 300)}`);
}
