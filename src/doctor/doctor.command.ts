import type { ArgumentsOf, Command, CommandOutput } from '../core/command.js';
import { type Failure, isFailure } from '../core/failure.js';
import { usageContradictory, usageMistyped, usageWrong, wordMissing } from '../core/failures.js';
import type { Clock, Files } from '../core/ports.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import type { SecretHeader } from '../core/secret.js';
import { closest } from '../core/text/closest.js';
import { inColumnsOrStacked, readerLook, wrapped } from '../core/text/layout.js';
import type { Look } from '../core/text/look.js';
import { asciiJson, quoted } from '../core/text/printable.js';
import { noLogin, readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { readCredential } from '../tokens/read-credential.js';
import { doctorTable } from './doctor.options.js';
import { examineMachine, examinePrograms, type MachineWorld } from './examine-machine.js';
import { type Examined, examineServer } from './examine-server.js';
import { actors, type FindingKind, findings, isFindingId, readCatalogue } from './findings.js';
import { reportLines } from './forms/for-people.js';
import { bundleOf, junitXml, reportJson } from './forms/for-programs.js';
import type { ExamineWorld, WantedLogin } from './run.js';

interface World extends CommandOutput, ExamineWorld, MachineWorld {
  readonly files: Pick<Files, 'read' | 'writePrivate'>;
  readonly clock: Clock;
}

type Arguments = ArgumentsOf<typeof doctorTable>;

export const command: Command<typeof doctorTable, World> = {
  table: doctorTable,
  async run(world, args) {
    if (args.explain !== undefined) return await explain(world, args.explain);
    const examined = await examine(world, args);
    world.progress.end();
    if (world.json) await world.out.json(reportJson(examined.subject, examined.report));
    else await world.out.line(reportLines(examined.subject, examined.report, readerLook(world)).join('\n'));
    await writeForms(world, args, examined); // a file that cannot be written costs nobody the report
    return examined.report.exit(args.failOn);
  },
};

/** The files that were asked for. @throws Failure `file_unwritable` */
async function writeForms(
  { files, self }: World,
  { junit, bundle }: Arguments,
  { subject, report, exchanges }: Examined,
): Promise<void> {
  if (junit !== undefined) await files.writePrivate(junit, junitXml(subject, report));
  if (bundle === undefined) return;
  await files.writePrivate(bundle, `${asciiJson(bundleOf(subject, report, exchanges, self().runtime))}\n`);
}

/** A finding in plain words, with its source; or all of them. @throws Failure `usage_wrong` for an id that is none */
async function explain(world: World, id: string): Promise<0> {
  const look = readerLook(world);
  const catalogue = readCatalogue(await world.findingsPage());
  const all = Object.entries(catalogue);
  if (id !== 'list' && !isFindingId(id)) throw noFinding(id);
  if (world.json) {
    const list = all.map(([one, kind]) => kindJson(one, kind));
    await world.out.json(id === 'list' ? { list } : kindJson(id, catalogue[id]));
    return 0;
  }
  const rows = all.map(([one, { level, title }]) => [one, level, title]);
  const lines = id === 'list' ? inColumnsOrStacked(look, rows) : explanationLines(id, catalogue[id], look);
  await world.out.line(lines.join('\n'));
  return 0;
}

function noFinding(id: string): Failure {
  const near = closest(id, Object.keys(findings));
  const message = `There is no finding ${quoted(id, 80)}.`;
  return near === undefined
    ? usageWrong(message, 'postern doctor --explain list')
    : usageMistyped(message, `postern doctor --explain ${near}`);
}

function explanationLines(
  id: string,
  { title, explanation, remedy, source, who }: FindingKind,
  look: Look,
): readonly string[] {
  const part = (text: string) => wrapped(text, look.width, 2);
  return [
    ...wrapped(`${id}: ${title}`, look.width),
    '',
    ...part(explanation),
    '',
    ...part(`To act: ${actors[who]}`),
    ...part(`To do: ${remedy}`),
    '',
    ...part(`Source: ${source}`),
  ];
}

function kindJson(id: string, { isUnsafe: _, ...kind }: FindingKind): object {
  return { id, ...kind };
}

/** @throws Failure of the index, `server_unusable`, `program_unknown`, `usage_wrong` */
async function examine(world: World, args: Arguments): Promise<Examined> {
  const { server: named, account, from } = args;
  const login = args.login ? wantedLogin(args) : undefined;
  if (from !== undefined) {
    if (named !== undefined) throw usageContradictory('--from', 'a server', 'postern doctor --help');
    return { ...(await examinePrograms(world, from)), exchanges: [] };
  }
  if (named === undefined) return { subject: 'this machine', report: await examineMachine(world), exchanges: [] };
  const { logins } = await world.index.read();
  const isName = !named.includes('://');
  if (isName && logins.every(({ name }) => name !== named)) throw noLogin(logins, { server: named, account });
  const target = await readLoginTarget(world, named, account ?? defaultAccount);
  const { server } = target;
  const held = sameLogin(logins, target);
  if (held === undefined && account !== undefined) throw noLogin(logins, { server, account });
  const headers = (await world.givenHeaders()) ?? (await keptHeaders(world, held));
  const isLogin = isName || account !== undefined;
  return await examineServer(world, { server, held, isNamed: isLogin, headers, signal: world.signal }, { login });
}

/** @throws Failure `word_missing` for a login without a server */
function wantedLogin({ server, scope, browser, noBrowser, device, timeout }: Arguments): WantedLogin {
  if (server === undefined) throw wordMissing('--login needs a server.', 'doctor', 'postern doctor work --login');
  return { scope, browser, noBrowser, device, timeoutMs: timeout === undefined ? undefined : timeout * 1000 };
}

/** What the server of this login wants with each request; none where that cannot be read, which is said. */
async function keptHeaders(world: World, held: LoginRecord | undefined): Promise<readonly SecretHeader[]> {
  if (held?.headerNames === undefined) return [];
  try {
    return (await readCredential(world, held)).headers ?? [];
  } catch (error) {
    if (!isFailure(error)) throw error;
    world.tell(`Note: the headers that are kept with this login are not sent. ${error.message}`);
    return [];
  }
}
