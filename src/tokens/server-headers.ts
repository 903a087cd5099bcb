import type { OptionSpec } from '../core/command.js';
import { exitCode, Failure } from '../core/failure.js';
import { argumentRefused, usageContradictory } from '../core/failures.js';
import { readWhole } from '../core/files.js';
import type { Files } from '../core/ports.js';
import type { SecretHeader } from '../core/secret.js';
import { quoted, shellWord } from '../core/text/printable.js';
import { parseSecretHeaders, secretHeaderLimits } from '../core/text/secret-headers.js';

/** How a command is given what its server wants beside the token. Never as a value: other users of a machine read those. */
export const headerOptions = [
  {
    name: 'header-file',
    topic: 'logging-in',
    kind: 'string',
    value: 'FILE',
    describe: 'headers to send beside the token, “Name: value”, one a line; - is stdin',
    excludes: ['header-env'],
  },
  { name: 'header-env', topic: 'logging-in', kind: 'string', value: 'VARIABLE', describe: 'the same, from a variable' },
] as const satisfies readonly OptionSpec[];

/** What of a command line says which headers its server wants, and what else would read stdin. */
export interface HeaderArguments {
  readonly headerFile?: string | undefined;
  readonly headerEnv?: string | undefined;
  readonly clientSecretStdin?: boolean | undefined;
  readonly untilStdinEnds?: boolean | undefined;
  /** `-` among them, and `@-`, stand for stdin. */
  readonly arguments?: readonly string[] | undefined;
  readonly data?: readonly string[] | undefined;
}

export interface HeaderWorld {
  readonly files: Pick<Files, 'read' | 'stdin' | 'stdinIsTerminal' | 'isOpenToOthers'>;
  /** The value of a variable, which no program that is started from now on inherits. */
  readonly takeVariable: (name: string) => string | undefined;
  readonly tell: (line: string) => void;
  /** The name of the command that runs. */
  readonly command: string;
}

/**
 * The headers that options name; undefined without one.
 * @throws Failure `headers_unusable`, `usage`, `usage_wrong`, `file_unreadable`
 */
export async function readGivenHeaders(
  world: HeaderWorld,
  args: HeaderArguments,
): Promise<readonly SecretHeader[] | undefined> {
  const { headerFile: file, headerEnv: variable } = args;
  if (file === undefined && variable === undefined) return undefined;
  const text = file === undefined ? variableText(world, variable ?? '') : await fileText(world, args, file);
  const parsed = parseSecretHeaders(text);
  if (!parsed.ok) throw headersUnusable(sourceOf(args), parsed.line, parsed.why);
  return parsed.headers;
}

function sourceOf({ headerFile: file, headerEnv: variable = '' }: HeaderArguments): string {
  if (file === undefined) return `the variable ${quoted(variable, 80)}`;
  return file === '-' ? 'stdin' : quoted(file, 200);
}

function variableText({ takeVariable, command }: HeaderWorld, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw argumentRefused('--header-env', 'it is the name of a variable, not what is in it', helpOf(command));
  }
  const text = takeVariable(name) ?? '';
  if (text === '') throw headersUnusable(`the variable ${quoted(name, 80)}`, undefined, 'it is not set');
  return text;
}

async function fileText(world: HeaderWorld, args: HeaderArguments, path: string): Promise<string> {
  const { files, tell } = world;
  if (path === '-') {
    checkStdin(world, args);
    return new TextDecoder().decode(await readWhole(files.stdin(), 'stdin', secretHeaderLimits.text));
  }
  const bytes = await readWhole(files.read(path), path, secretHeaderLimits.text);
  // Not refused, like a client's secret: what mounts secrets into containers gives them such modes.
  if (await files.isOpenToOthers(path)) {
    tell(
      `Note: other users of this machine may read ${quoted(path)}. To keep it to yourself: chmod 600 ${shellWord(path)}`,
    );
  }
  return new TextDecoder().decode(bytes);
}

/** Commands that have another use for stdin. */
const readsStdin: readonly string[] = ['bridge', 'shell'];

/** @throws Failure `usage`, `usage_wrong` */
function checkStdin({ files, command }: HeaderWorld, args: HeaderArguments): void {
  const help = helpOf(command);
  if (readsStdin.includes(command)) {
    throw argumentRefused('--header-file', `postern ${command} has another use for stdin`, help);
  }
  if (args.clientSecretStdin) throw usageContradictory('--header-file -', '--client-secret-stdin', help);
  if (args.untilStdinEnds) throw usageContradictory('--header-file -', '--until-stdin-ends', help);
  if (args.arguments?.includes('-') || args.data?.includes('@-')) {
    throw argumentRefused('--header-file', 'stdin is to be read for something else, too', help);
  }
  if (files.stdinIsTerminal) {
    throw argumentRefused(
      '--header-file',
      'what is typed at a terminal is shown there; give it a file or a pipe',
      help,
    );
  }
}

const helpOf = (command: string) => `postern ${command} --help`;

/** @param why The end of a sentence, without any value. */
function headersUnusable(source: string, line: number | undefined, why: string): Failure {
  const where = line === undefined ? source : `line ${line} of ${source}`;
  return new Failure({
    code: 'headers_unusable',
    exit: exitCode.usage,
    message: `The headers for the server cannot be used: ${where}: ${why}.`,
    remedy: 'Write “Name: value”, one a line; which names there may be: postern help logging-in',
  });
}
