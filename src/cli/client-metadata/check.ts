import { exitCode } from '../../errors/failure.js';
import { checkDocument, type DocumentCheck } from '../../flows/client-metadata/check.js';
import type { CommandContext, CommandExit } from '../command.js';
import type { DocumentArguments } from '../commands/client-metadata.js';
import { checkLines, findingJson } from '../words/finding-words.js';
import { readDocument } from './documents.js';

/** `client-metadata check`: findings on stdout; exit code 5 when a rule is broken. */
export async function check(context: CommandContext, args: DocumentArguments): Promise<CommandExit> {
  const { ports, signal } = context;
  const subject = await subjectOf(context, args);
  ports.progress.begin('Checking');
  const result = await checkDocument(ports, { ...subject, offline: args.offline, signal });
  ports.progress.end();
  const broken = result.findings.some(({ verdict }) => verdict === 'failure');
  // What cannot be reached is the network’s failure, unless something else is known to be wrong.
  if (!broken && result.unreachable !== undefined) {
    if (!context.options.json && subject.file !== undefined) {
      for (const line of checkLines(subject.path, result)) context.tell(line);
    }
    throw result.unreachable;
  }
  await show(context, subject.path, result, broken);
  return broken ? exitCode.serverBreaksRules : 0;
}

async function subjectOf(context: CommandContext, args: DocumentArguments) {
  const configured =
    args.url ?? (await context.configuration()).clientMetadataUrl ?? context.clientMetadataUrl;
  const word = args.target ?? configured;
  if (word !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    return { url: word, file: undefined, path: undefined };
  }
  const there = await readDocument(context, word);
  return { url: undefined, file: there.bytes, path: there.path };
}

async function show(
  context: CommandContext,
  path: string | undefined,
  result: DocumentCheck,
  broken: boolean,
): Promise<void> {
  if (!context.options.json) {
    await context.out.line(checkLines(path, result).join('\n'));
    return;
  }
  const { url, fetched, findings, unreachable } = result;
  await context.out.json({
    holds: !broken,
    file: path ?? null,
    url: url ?? null,
    fetched,
    unreachable: unreachable?.code ?? null,
    findings: findings.map(findingJson),
  });
}
