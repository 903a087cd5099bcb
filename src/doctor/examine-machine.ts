import { environmentLines } from '../core/configuration/configuration.js';
import { isFailure } from '../core/failure.js';
import type { BrokenLogin, CheckedProgram, CheckPrograms, Clock, Files, OwnProgram } from '../core/ports.js';
import { clientInfo } from '../core/product.js';
import type { LoginRecord, StoreKind } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { counted } from '../core/text/printable.js';
import type { StorePorts } from '../stores/ports.js';
import { type FindingId, readCatalogue } from './findings.js';
import { Report } from './report.js';
import type { ExamineWorld } from './run.js';

export interface MachineWorld
  extends Pick<StorePorts, 'index' | 'stores'>,
    Pick<ExamineWorld, 'configuration' | 'findingsPage'> {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Pick<Files, 'read'>;
  readonly self: () => Pick<OwnProgram, 'program' | 'runtime'>;
  /** What kind of place this is, as far as a browser goes. */
  readonly availability: () => string;
  readonly canListen: () => Promise<number>;
  readonly brokenLogins: () => Promise<readonly BrokenLogin[]>;
  readonly checkPrograms: CheckPrograms;
  readonly signal: AbortSignal;
}

/** Release lines of Node.js: the newest security release we know of, and the end of support (nodejs/Release, schedule.json). */
export const nodeLines = [
  { secure: '26.12.1', end: '2029-04-30' },
  { secure: '24.22.1', end: '2028-04-30' },
  { secure: '22.23.4', end: '2027-04-30' },
  { secure: '20.20.2', end: '2026-04-30' },
] as const;

/** Looks at what logins need of this machine. No server is asked, and no entry of a program is run. */
export async function examineMachine(world: MachineWorld): Promise<Report> {
  const report = new Report(readCatalogue(await world.findingsPage()));
  const { name, version } = clientInfo;
  report.pass('program', `${name} ${version}, ${world.self().runtime}`);
  checkNode(world, report);
  const settings = await attempt(report, 'configuration-unusable', () => world.configuration());
  if (settings !== undefined) report.pass('configuration', 'valid; every setting: postern config');
  await checkEnvironment(world, settings?.caFile, report);
  const index = await attempt(report, 'state-unusable', () => world.index.read());
  await checkStores(world, settings?.store, index?.logins ?? [], report);
  checkBrowser(world, report);
  await checkCallback(world, report);
  if (index === undefined) return report;
  report.pass('state', `it can be read; ${counted(index.logins.length, 'login')}`);
  checkClock(world, index.logins, report);
  await checkLogins(world, index.logins, report);
  await checkProgramsOf(world, undefined, report);
  return report;
}

function checkNode({ self, clock }: MachineWorld, report: Report): void {
  const { runtime, program } = self();
  const [version = ''] = /[\d.]+$/.exec(runtime) ?? [];
  const majorOf = (one: string): number => Number.parseInt(one, 10);
  const live = nodeLines.filter(({ end }) => Date.parse(end) > clock.now());
  const known = live.find(({ secure }) => majorOf(secure) === majorOf(version));
  const [newest] = nodeLines;
  const isNewer = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) >= 0;
  if (known === undefined ? majorOf(version) > majorOf(newest.secure) : isNewer(version, known.secure)) return;
  const remedy =
    program.length === 1
      ? 'Install the newest postern: this executable brings its own Node.js.'
      : `Install Node.js ${(known ?? newest).secure} or newer.`;
  if (known === undefined) report.found('node-ended', `Node.js ${version}`, remedy);
  else report.found('node-insecure', `Node.js ${version}, fixed in ${known.secure}`, remedy);
}

/** What a configured program would get. @throws Failure `program_unknown` */
export async function examinePrograms(
  world: MachineWorld,
  program: string,
): Promise<{ subject: string; report: Report }> {
  const report = new Report(readCatalogue(await world.findingsPage()));
  const [first] = await checkProgramsOf(world, program, report);
  return { subject: first?.title ?? program, report };
}

/** A failure of the work is the finding. Undefined where it failed. */
async function attempt<Result>(
  report: Report,
  id: FindingId,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error)) throw error;
    report.found(id, error.message, error.remedy);
    return undefined;
  }
}

async function checkEnvironment(
  { env, files }: MachineWorld,
  caFile: string | undefined,
  report: Report,
): Promise<void> {
  const noted = environmentLines(env);
  for (const line of noted) report.found('environment-noted', line);
  if ((env['NODE_DEBUG'] ?? '') !== '') report.found('debug-prints-secrets', 'NODE_DEBUG is set');
  for (const file of [env['NODE_EXTRA_CA_CERTS'], caFile]) {
    if (file === undefined || file === '') continue;
    if (!(await holdsCertificate(files, file))) report.found('authorities-unreadable', file);
  }
  if (noted.length === 0) report.pass('network', 'no proxy; the usual certificate authorities');
}

async function holdsCertificate(files: MachineWorld['files'], path: string): Promise<boolean> {
  let text = '';
  try {
    for await (const chunk of files.read(path)) text += new TextDecoder('latin1').decode(chunk);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
  return text.includes('-----BEGIN CERTIFICATE-----') || text.includes('-----BEGIN TRUSTED CERTIFICATE-----');
}

/** Every store with a login in it, and the one that the next login goes to. */
async function checkStores(
  world: MachineWorld,
  wanted: StoreKind | undefined,
  logins: readonly LoginRecord[],
  report: Report,
): Promise<void> {
  const used = logins.map(({ store }) => store).filter((kind) => kind !== 'environment' && kind !== 'memory');
  const last = logins.toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
  for (const kind of new Set([wanted ?? last?.store ?? 'keychain', ...used])) {
    await attempt(report, 'store-broken', () => tryStore(world, kind, report));
  }
}

/** Writes, reads and removes an item of its own; no other one is touched. */
async function tryStore({ stores }: MachineWorld, kind: StoreKind, report: Report): Promise<void> {
  const store = stores.of(kind);
  await store.ready();
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  const value = crypto.randomUUID();
  try {
    await store.write(key, new Secret(value));
    const found = await store.read(key);
    if (found?.reveal() === value) report.pass('store', `${kind}: an item was written, read and removed`);
    else
      report.found(
        'store-loses-items',
        `${kind}: the test item ${found === undefined ? 'was gone' : 'came back changed'}`,
      );
  } finally {
    await store.remove(key);
  }
}

function checkBrowser({ availability }: MachineWorld, report: Report): void {
  const where = availability();
  if (where === 'desktop') report.pass('browser', 'a desktop: your usual browser opens');
  else report.found('browser-missing', whereWords[where] ?? where);
}

const whereWords: Readonly<Record<string, string>> = {
  ssh: 'this is an SSH session',
  container: 'this is a container',
  wsl: 'this is WSL',
  no_display: 'there is no display',
};

async function checkCallback({ canListen }: MachineWorld, report: Report): Promise<void> {
  try {
    report.pass('callback', `127.0.0.1:${await canListen()} is free to listen on`);
  } catch (error) {
    report.found('callback-refused', error instanceof Error ? error.message : 'it cannot be opened');
  }
}

/** More than two clocks of one machine's processes differ. */
const toleranceMs = 60_000;

function checkClock({ clock }: MachineWorld, logins: readonly LoginRecord[], report: Report): void {
  const now = clock.now();
  const ahead = logins.find(({ obtainedAt }) => obtainedAt > now + toleranceMs);
  const seen = new Date(now).toISOString();
  if (ahead === undefined) report.pass('clock', seen);
  else report.found('clock-set-back', `it is ${seen}; a login was made at ${new Date(ahead.obtainedAt).toISOString()}`);
}

async function checkLogins(
  { brokenLogins }: MachineWorld,
  logins: readonly LoginRecord[],
  report: Report,
): Promise<void> {
  const broken = await brokenLogins();
  for (const { name, problem, remedy } of broken) report.found('login-broken', `${name}: ${problem}`, `Run: ${remedy}`);
  if (broken.length === 0) report.pass('logins', logins.length === 0 ? 'there is none yet' : 'none needs you');
}

async function checkProgramsOf(
  world: MachineWorld,
  program: string | undefined,
  report: Report,
): Promise<readonly CheckedProgram[]> {
  const checked = await world.checkPrograms(program);
  for (const { title, server, exit, lines } of checked) {
    const said = lines.map((line) => line.trim()).join(' ');
    const how = program === undefined ? ' Compared, not run; to run it: postern setup --check' : '';
    if (exit === 0) report.pass('programs', `${title}, ${server}: ${said}${how}`);
    else report.found('program-not-served', `${title}, ${server}: ${said}`);
  }
  if (checked.length === 0) report.pass('programs', 'none is set up');
  return checked;
}
