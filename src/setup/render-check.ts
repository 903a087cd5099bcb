import { exitCode, type Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { printable, quoted } from '../core/text/printable.js';
import type { CheckedEntry } from './check-entry.js';
import { keychainNote } from './environment.js';
import type { SetupRequest } from './plan-entry.js';
import type { OldProgram } from './program-version.js';
import type { ProgramResponse } from './programs/responses.js';

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
  const head = `${request.program.name}  ${printable(request.name, 80)}  ${printable(request.url, 300)}`;
  return isOneOfMany ? [head, ...lines.map((line) => `  ${line}`)] : lines;
}

export function resultJson({ request, checked, failure }: CheckResult) {
  const about = { program: request.program.name, server: request.url };
  if (failure !== undefined) {
    return { ...about, file: request.path ?? null, failure: failure.code, message: failure.message };
  }
  const { plan, state, faults, blocks, old, end, response } = checked;
  const hasEnded = typeof end !== 'string';
  return {
    ...about,
    file: plan.file.path || null,
    entry: state,
    faults,
    blocks,
    tooOld: old?.isBlocked === true ? old.version : null,
    answer: response.kind,
    exit: hasEnded ? end.code : null,
    ended: hasEnded ? 'by itself' : end,
    stderr: hasEnded ? printable(end.stderr.trim(), 600) : '',
  };
}

/** What the program would get, for a person; never a token. `logins` say what a name is for now. */
function checkLines(checked: CheckedEntry, logins: readonly LoginRecord[]): readonly string[] {
  const { request, plan, state, faults, blocks, old } = checked;
  const note = isServed(checked) ? undefined : keychainNote(plan.wanted.machine, request, logins);
  return [
    stateLine(checked),
    ...faults.map((fault) => `  ${fault}`),
    ...blocks.map((block) => `Not used: ${block}`),
    old === undefined ? '' : `${old.isBlocked ? 'Not used' : 'Note'}: ${oldProgramLine(old)}`,
    state === 'other' || checked.end === 'compared' ? '' : outcomeLine(checked),
    ...stderrLines(checked),
    note ?? '',
  ].filter((line) => line !== '');
}

/** The exit code of a check: 0 only where the entry is in its place, and the program would use it and get what it needs. */
export function exitOfCheck({ checked, failure }: CheckResult): number {
  if (failure !== undefined) return failure.exit;
  const { state, blocks, old, end } = checked;
  if (isServed(checked) || end === 'compared') {
    const isUsed = (state === 'there' || state === 'no-file') && blocks.length === 0;
    return isUsed && old?.isBlocked !== true ? 0 : exitCode.usage;
  }
  if (end === 'not-run') return exitCode.usage;
  const ownExit = typeof end === 'string' ? undefined : Object.values(exitCode).find((code) => code === end.code);
  return ownExit ?? exitCode.callFailed;
}

function isServed({ response }: CheckedEntry): boolean {
  return response.kind === 'token' || response.kind === 'server';
}

function stateLine({ request, plan, state }: CheckedEntry): string {
  const whose = request.scope === 'project' ? 'the project’s file' : 'your file';
  const path = `${whose} ${printable(plan.file.path, 300)}`;
  return {
    there: `The entry is in ${path}.`,
    missing: `The entry is not in ${path}: add --write in place of --check.`,
    different: `The entry in ${path} is not what postern would write now: add --write in place of --check.`,
    other: `The entry ${printable(request.name, 80)} in ${path} is not one of postern’s, so it was not run. Remove it, or choose another name: add --as NAME.`,
    'no-file': '',
  }[state];
}

export function oldProgramLine({ since, version, isBlocked }: OldProgram): string {
  const [name] = since.command;
  const needed = `${name} ${since.major}.${since.minor}`;
  const need = isBlocked ? `${needed} does` : `at a server that takes Bearer tokens alone it needs ${needed}`;
  return `${name} ${version} ${since.lacks}; ${need}.`;
}

function outcomeLine(checked: CheckedEntry): string {
  if (checked.end === 'not-run') {
    return 'It was not run: postern runs only entries that it wrote, or would write now.';
  }
  const start = checked.state === 'missing' ? 'With it, ' : '';
  return `${start}${checked.request.program.title} ${outcomeOf(checked)}.`;
}

function outcomeOf({ end, response }: CheckedEntry): string {
  if (end === 'timeout') return 'would get nothing: postern took longer than the 10 s that it waits';
  if (end === 'too_much') return 'would get nothing: the answer is too large';
  if (typeof end === 'string') return 'could not start postern at all';
  if (end.code !== 0) return `would get nothing: postern ended with exit code ${end.code ?? 'none (killed)'}`;
  return responseWords(response);
}

function responseWords(response: ProgramResponse): string {
  switch (response.kind) {
    case 'token':
      return `would get a token of ${response.length} character${response.length === 1 ? '' : 's'}`;
    case 'server':
      return `would be connected to the server ${printable(response.name, 100)}`;
    case 'refused':
      return `would be refused: ${quoted(response.why, 400)}`;
    case 'nothing':
      return 'would get no credential, and no error';
    case 'unreadable':
      return 'would get an answer that it cannot read';
  }
}

/** What postern said on stderr, but for what the protocol's error says already. */
function stderrLines({ end, response }: CheckedEntry): readonly string[] {
  if (typeof end === 'string' || end.stderr.trim() === '') return [];
  if (response.kind === 'refused' && response.why !== '' && end.stderr.includes(response.why)) return [];
  const lines = end.stderr.trim().split('\n').slice(0, 6);
  return lines.map((line) => `  ${printable(line, 300)}`);
}
