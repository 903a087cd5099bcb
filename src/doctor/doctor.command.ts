import type { ArgumentsOf, Command, CommandOutput, CommandTable } from '../core/command.js';
import type { Files, OwnProgram } from '../core/ports.js';
import { defaultAccount } from '../core/records.js';
import { readerLook } from '../core/text/layout.js';
import { asciiJson } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import { readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { type Examined, examineServer } from './examine-server.js';
import { explanation, explanationLines, findingLines } from './explain.js';
import { reportJson } from './forms/as-json.js';
import { bundleOf } from './forms/bundle.js';
import { reportLines } from './forms/for-people.js';
import { junitXml } from './forms/junit.js';
import { sarifLog } from './forms/sarif.js';
import type { ExamineWorld } from './ports.js';
import { exitOf } from './report.js';

export const doctorTable = {
  name: 'doctor',
  group: 'more',
  summary: 'say why a login at a server does not work, and who can mend it',
  positionals: [{ name: 'server', describe: 'its URL, or the name of a login', required: false }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'the account, where a login of it is meant' },
    {
      name: 'explain',
      kind: 'string',
      value: 'FINDING',
      describe: 'what a finding means, and where the rule stands; list: all of them',
    },
    {
      name: 'fail-on',
      kind: 'string',
      choices: ['error', 'warning', 'never'],
      default: 'error',
      describe: 'from which level on the exit code is not 0',
    },
    { name: 'junit', kind: 'string', value: 'FILE', describe: 'write the report there, as CI servers read it (JUnit)' },
    {
      name: 'sarif',
      kind: 'string',
      value: 'FILE',
      describe: 'write the report there, as code hosts read it (SARIF 2.1.0)',
    },
    {
      name: 'bundle',
      kind: 'string',
      value: 'FILE',
      describe: 'write all of the run there for a bug report, as JSON; no secret is in it',
    },
  ],
  examples: [
    {
      command: 'postern doctor https://example.com/mcp',
      describe: 'the steps of a login, as far as nobody has to log in',
    },
    { command: 'postern doctor --explain resource-mismatch', describe: 'a finding in plain words, with its source' },
    { command: 'postern doctor work --fail-on warning --json', describe: 'for a CI job' },
  ],
  notes: [
    'It is passive: the server is asked as at the beginning of a login, and four times with a token that nobody issued; the metadata documents are read at every address where they may be. Nothing is registered, nobody is logged in, and no stored token is used or sent.',
    'On top stands the first cause: what it is, who can mend it, what to do. What follows from it is skipped. PASS: as it should be. NOTE: good to know. WARN: some programs or people will have trouble. FAIL: a login cannot work.',
    'Exit codes: 0 nothing failed; 5 a rule is broken; 6 not reachable; 3 a login is needed; 2 you can mend it; 7 the store. With --fail-on warning a warning counts, too; with never nothing does.',
  ],
  seeAlso: ['logging-in', 'exit-codes'],
} as const satisfies CommandTable;

interface World extends CommandOutput, ExamineWorld {
  readonly files: Pick<Files, 'write'>;
  readonly self: () => Pick<OwnProgram, 'runtime'>;
}

type Arguments = ArgumentsOf<typeof doctorTable>;

export const command: Command<typeof doctorTable, World> = {
  table: doctorTable,
  async run(world, args) {
    if (args.explain !== undefined) return await explain(world, args.explain);
    if (args.server === undefined) throw usageWrong('postern doctor needs a server.', 'postern doctor --help');
    return await examine(world, args, args.server);
  },
};

/** The files that were asked for, each whole or not at all. @throws Failure `file_unwritable` */
async function writeForms(
  { files, self }: World,
  { junit, sarif, bundle }: Arguments,
  server: string,
  { report, exchanges }: Examined,
): Promise<void> {
  const write = async (path: string | undefined, text: () => string) => {
    if (path !== undefined) await files.write(path, oneChunk(new TextEncoder().encode(text())));
  };
  await write(junit, () => junitXml(server, report));
  await write(sarif, () => `${asciiJson(sarifLog(server, report))}\n`);
  await write(bundle, () => `${asciiJson(bundleOf(server, report, exchanges, self().runtime))}\n`);
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function explain(world: World, id: string): Promise<0> {
  const look = readerLook(world);
  if (id === 'list') await world.out.line(findingLines(look).join('\n'));
  else if (world.json) await world.out.json(explanation(id));
  else await world.out.line(explanationLines(id, look).join('\n'));
  return 0;
}

async function examine(world: World, args: Arguments, named: string) {
  const { account, failOn } = args;
  const target = await readLoginTarget(world, named, account ?? defaultAccount);
  const { logins } = await world.index.read();
  const { server } = target;
  const examined = await examineServer(world, { server, held: sameLogin(logins, target), signal: world.signal });
  const { report } = examined;
  world.progress.end();
  await writeForms(world, args, server, examined);
  if (world.json) await world.out.json(reportJson(server, report));
  else await world.out.line(reportLines(server, report, readerLook(world)).join('\n'));
  return exitOf(report, failOn);
}
