import { exitCode, type Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { printable, quoted } from '../core/text/printable.js';
import type { CheckedEntry } from './check-entry.js';
import { keychainNote } from './environment.js';
import type { SetupRequest } from './plan-entry.js';

/** An entry that was checked, or why it could not be. */
export type CheckResult =
  | { readonly request: SetupRequest; readonly checked: CheckedEntry; readonly failure?: undefined }
  | { readonly request: SetupRequest; readonly checked?: undefined; readonly failure: Failure };

/** @param isOneOfMany Which entry it is has to be said. */
export function resultLines(
  { request, checked, failure }: CheckResult,
  logins: readonly LoginRecord[],
  isOneOfMany: boolean,
): readonly string[] {
  const lines = failure === undefined ? checkLines(checked, logins) : [failure.message, failure.remedy];
  const head = `${request.program.name}  ${printable(request.url, 300)}`;
  return isOneOfMany ? [head, ...lines.map((line) => `  ${line}`)] : lines;
}

export function resultJson({ request, checked, failure }: CheckResult) {
  const about = { program: request.program.name, server: request.url };
  return failure === undefined
    ? { ...about, ...checkJson(checked) }
    : { ...about, file: request.path ?? null, failure: failure.code, message: failure.message };
}

/** What the program would get, for a person; never a token. `logins` say what a name is for now. */
function checkLines(checked: CheckedEntry, logins: readonly LoginRecord[]): readonly string[] {
  const { request, plan, place, faults, blocks, old, end, answer } = checked;
  const { title } = request.program;
  const note = keychainNote(plan?.wanted.machine, request, logins);
  return [
    placeInWords(checked),
    ...faults.map((fault) => `  ${faultInWords(fault, request.url, logins)}`),
    ...blocks.map((block) => `Not used: ${block}`),
    ...(old === undefined ? [] : [`${old.isBlocked ? 'Not used' : 'Note'}: ${oldInWords(old)}`]),
    ...(place === 'other' ? [] : [`${title} ${answerInWords(end, answer)}.`]),
    ...stderrLines(end, answer),
    ...(note === undefined || isServed(checked) ? [] : [note]),
  ].filter((line) => line !== '');
}

function checkJson({ plan, place, faults, blocks, old, end, answer }: CheckedEntry) {
  return {
    file: plan?.file.path ?? null,
    entry: place,
    faults,
    blocks,
    tooOld: old?.isBlocked === true ? old.version : null,
    answer: answer.kind,
    exit: typeof end === 'string' ? null : end.code,
    ended: typeof end === 'string' ? end : 'by itself',
    stderr: typeof end === 'string' ? '' : printable(end.stderr.trim(), 600),
  };
}

/** 0 only where the entry is in its place, and the program would use it and get what it needs. */
export function checkExit(checked: CheckedEntry): number {
  const { place, blocks, old, end } = checked;
  if (isServed(checked)) {
    const isUsed = (place === 'there' || place === 'no-file') && blocks.length === 0;
    return isUsed && old?.isBlocked !== true ? 0 : exitCode.usage;
  }
  if (end === 'not-run') return exitCode.usage;
  const ownExit = typeof end === 'string' ? undefined : Object.values(exitCode).find((code) => code === end.code);
  return ownExit ?? exitCode.callFailed;
}

function isServed({ answer }: CheckedEntry): boolean {
  return answer.kind === 'token' || answer.kind === 'server';
}

function placeInWords({ request, plan, place }: CheckedEntry): string {
  const path = printable(plan?.file.path ?? '', 300);
  return {
    there: `The entry is in ${path}.`,
    missing: `The entry is not in ${path}: add --write in place of --check.`,
    different: `The entry in ${path} is not what postern would write now: add --write in place of --check.`,
    other: `The entry ${printable(request.name, 80)} in ${path} is not one of postern’s, so it was not run. Remove it, or choose another name: add --as NAME.`,
    'no-file': '',
  }[place];
}

function faultInWords(fault: CheckedEntry['faults'][number], url: string, logins: readonly LoginRecord[]): string {
  switch (fault.kind) {
    case 'by-name': {
      const now = logins.find(({ name }) => name === fault.name)?.server;
      const of = now === undefined || now === url ? '' : `, which is now the login for ${quoted(now, 200)}`;
      return `It names the login ${quoted(fault.name, 80)}${of}, and not the server: an earlier release wrote it.`;
    }
    case 'other-login':
      return `It is for another login: ${quoted(fault.named, 300)}.`;
    case 'other-start':
      return `It starts another program: ${quoted(fault.path, 300)}.`;
    case 'not-there':
      return `It starts ${quoted(fault.path, 300)}, which is not there.`;
    case 'variables':
      return 'It sets other variables for postern than this shell would have it set.';
    case 'words':
      return `It has words that postern would not write: ${fault.words.map((word) => quoted(word, 80)).join(' ')}.`;
    case 'members':
      return `It holds something else in: ${fault.names.map((name) => printable(name, 80)).join(', ')}.`;
  }
}

export function oldInWords({ since, version, isBlocked }: NonNullable<CheckedEntry['old']>): string {
  const [name] = since.command;
  const needed = `${name} ${since.major}.${since.minor}`;
  return isBlocked
    ? `${name} ${version} ${since.lacks}; ${needed} does.`
    : `${name} ${version} ${since.lacks}; at a server that takes Bearer tokens alone it needs ${needed}.`;
}

function answerInWords(end: CheckedEntry['end'], answer: CheckedEntry['answer']): string {
  if (end === 'timeout') return 'would get nothing: postern took longer than the 10 s that it waits';
  if (end === 'too_much') return 'would get nothing: the answer is too large';
  if (end === 'not_started' || end === 'not-run') return 'could not start postern at all';
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
