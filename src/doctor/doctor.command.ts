import type { ArgumentsOf, Command, CommandOutput, CommandTable } from '../core/command.js';
import { isFailure } from '../core/failure.js';
import type { Clock, Files } from '../core/ports.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import type { SecretHeader } from '../core/secret.js';
import { readerLook } from '../core/text/layout.js';
import { asciiJson } from '../core/text/printable.js';
import { usageContradictory, wordMissing } from '../core/usage-failures.js';
import { noLogin, readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { readCredential } from '../tokens/read-credential.js';
import { headerOptions } from '../tokens/server-headers/header-options.js';
import { examineMachine, examinePrograms, type MachineWorld } from './examine-machine.js';
import { type Examined, examineServer } from './examine-server.js';
import { allFindings, explanation, explanationLines, findingLines, kindJson } from './explain.js';
import { reportJson } from './forms/as-json.js';
import { bundleOf } from './forms/bundle.js';
import { reportLines } from './forms/for-people.js';
import { junitXml } from './forms/junit.js';
import type { Examination, ExamineWorld } from './ports.js';
import { exitOf } from './report.js';

export const doctorTable = {
  name: 'doctor',
  group: 'more',
  summary: 'say why a login does not work, and who can mend it',
  positionals: [
    { name: 'server', describe: 'its URL, or the name of a login; without: this machine', required: false },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'the account, where a login of it is meant' },
    { name: 'explain', kind: 'string', value: 'FINDING', describe: 'what a finding means; list: all of them' },
    {
      name: 'fail-on',
      kind: 'string',
      choices: ['error', 'warning', 'never'],
      default: 'error',
      describe: 'lowest level that fails',
    },
    {
      name: 'from',
      kind: 'string',
      value: 'PROGRAM',
      describe: 'what a program gets that setup wrote an entry for',
      excludes: ['explain'],
    },
    { name: 'login', kind: 'boolean', describe: 'log in for this run, and look at what comes of it' },
    {
      name: 'scope',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'list',
      value: 'SCOPE',
      describe: 'with --login: ask for these scopes; again for more',
    },
    {
      name: 'browser',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser', 'device'],
    },
    {
      name: 'no-browser',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: print the address of the login page instead',
    },
    {
      name: 'device',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: show a code to type in a browser anywhere',
    },
    {
      name: 'timeout',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'number',
      min: 10,
      max: 3600,
      value: 'SECONDS',
      describe: 'with --login: how long to wait for the answer in the browser',
      fallback: '900 at a terminal, else 300',
    },
    ...headerOptions,
    { name: 'junit', kind: 'string', value: 'FILE', describe: 'the report, as CI servers read it (JUnit)' },
    { name: 'bundle', kind: 'string', value: 'FILE', describe: 'all of the run for a bug report; no secret is in it' },
  ],
  examples: [
    {
      command: 'postern doctor https://example.com/mcp',
      describe: 'the steps of a login, as far as nobody has to log in',
    },
    {
      command: 'postern doctor https://example.com/mcp --login',
      describe: 'with a login made for it: iss, token, refresh, revocation',
    },
    { command: 'postern doctor', describe: 'this machine: store, browser, logins, programs that are set up' },
    { command: 'postern doctor --from claude', describe: 'what Claude Code would get by its entry, and why' },
    { command: 'postern doctor --explain resource-mismatch', describe: 'a finding in plain words, with its source' },
    {
      command: 'postern doctor http://127.0.0.1:7000/mcp --login --device --fail-on warning',
      describe: 'all of it, where the authorization server says yes by itself (postern sandbox --approve)',
    },
    { command: 'postern doctor work --fail-on warning --json', describe: 'for a CI job' },
  ],
  terms: {
    title: 'Verdicts',
    rows: [
      ['PASS', 'as it should be'],
      ['NOTE', 'good to know'],
      ['WARN', 'some programs or people will have trouble'],
      ['FAIL', 'a login cannot work, or is not safe'],
      ['SKIP', 'follows from another step, or needs --login'],
    ],
  },
  notes: [
    'Without --login nothing is registered, and no login is made. A stored token is used only if you name its login (postern doctor work), and with --from.',
  ],
  seeAlso: ['logging-in', 'diagnosis', 'exit-codes'],
} as const satisfies CommandTable;

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
    return exitOf(examined.report, args.failOn);
  },
};

/** The files that were asked for. @throws Failure `file_unwritable` */
async function writeForms(
  { files, self }: World,
  { junit, bundle }: Arguments,
  { subject, report, exchanges }: Examined,
): Promise<void> {
  const write = async (path: string | undefined, text: () => string) => {
    if (path !== undefined) await files.writePrivate(path, text());
  };
  await write(junit, () => junitXml(subject, report));
  await write(bundle, () => `${asciiJson(bundleOf(subject, report, exchanges, self().runtime))}\n`);
}

/** The whole run takes no longer than this, but for what a person does, in milliseconds. */
const limitMs = 180_000;

/** @throws Failure `word_missing` for a login without a server */
function wantedOf({ server, login, scope, browser, noBrowser, device, timeout }: Arguments): Examination {
  const ofLogin = { scope, browser, noBrowser, device, timeoutMs: timeout === undefined ? undefined : timeout * 1000 };
  if (login && server === undefined) {
    throw wordMissing('--login needs a server.', 'doctor', 'postern doctor work --login');
  }
  return { login: login ? ofLogin : undefined, limitMs };
}

async function explain(world: World, id: string): Promise<0> {
  const look = readerLook(world);
  if (world.json) await world.out.json(id === 'list' ? { list: allFindings() } : kindJson(explanation(id)));
  else if (id === 'list') await world.out.line(findingLines(look).join('\n'));
  else await world.out.line(explanationLines(id, look).join('\n'));
  return 0;
}

/** @throws Failure of the index, `server_unusable`, `program_unknown`, `usage_wrong` */
async function examine(world: World, args: Arguments): Promise<Examined> {
  const { server: named, account, from } = args;
  const wanted = wantedOf(args);
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
  return await examineServer(world, { server, held, isNamed: isLogin, headers, signal: world.signal }, wanted);
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
