import type { CommandExit } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { printable } from '../core/text/printable.js';
import { checkDocument, type DocumentCheck, type PlacedFinding } from './check-document.js';
import type { DocumentArguments } from './client-metadata.options.js';
import { readDocument } from './documents.js';
import type { ClientMetadataWorld } from './ports.js';

/** `client-metadata check`: findings on stdout; exit code 5 when a rule is broken. */
export async function check(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal } = world;
  const subject = await subjectOf(world, args);
  world.progress.begin('Checking');
  const result = await checkDocument(world, { ...subject, offline: args.offline, signal });
  world.progress.end();
  const broken = result.findings.some(({ verdict }) => verdict === 'failure');
  // What cannot be reached is the network’s failure, unless something else is known to be wrong.
  if (!broken && result.unreachable !== undefined) {
    if (!world.json && subject.file !== undefined) {
      for (const line of checkLines(subject.path, result)) world.tell(line);
    }
    throw result.unreachable;
  }
  await show(world, subject.path, result, broken);
  return broken ? exitCode.serverBreaksRules : 0;
}

async function subjectOf(world: ClientMetadataWorld, args: DocumentArguments) {
  const configured = args.url ?? (await world.configuration()).clientMetadataUrl ?? world.clientMetadataUrl;
  const word = args.target ?? configured;
  if (word !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    return { url: word, file: undefined, path: undefined };
  }
  const there = await readDocument(world, word);
  return { url: undefined, file: there.bytes, path: there.path };
}

async function show(
  world: ClientMetadataWorld,
  path: string | undefined,
  result: DocumentCheck,
  broken: boolean,
): Promise<void> {
  if (!world.json) {
    await world.out.line(checkLines(path, result).join('\n'));
    return;
  }
  const { url, fetched, findings, unreachable } = result;
  await world.out.json({
    holds: !broken,
    file: path ?? null,
    url: url ?? null,
    fetched,
    unreachable: unreachable?.code ?? null,
    findings: findings.map(findingJson),
  });
}

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
  return [`${words[verdict].padEnd(5)} ${place.trim()}${place === '' ? '' : ' '}${what} [${rule}]`, `      ${remedy}`];
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
