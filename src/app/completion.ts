import type { CommandTable } from '../core/command.js';
import { quoted } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';

type Variables = Readonly<Record<string, string | undefined>>;

const shells = ['bash', 'zsh', 'fish'] as const;

export const completionTable: CommandTable = {
  name: 'completion',
  summary: 'print what makes bash, zsh or fish complete this program’s words',
  positionals: [{ name: 'shell', describe: 'bash, zsh or fish (default: the one in $SHELL)', required: false }],
  options: [],
};

/** @throws Failure `usage_wrong` */
function shellOf(given: string | undefined, env: Variables): (typeof shells)[number] {
  const shell = shells.find((one) => (given === undefined ? env['SHELL']?.endsWith(one) : given === one));
  if (shell !== undefined || given === undefined) return shell ?? 'bash';
  throw usageWrong(`The words of ${quoted(given, 40)} cannot be completed.`, 'postern completion --help');
}

/**
 * What a shell is to run at its start. yargs completes the words, by the tables of the commands; it goes by $SHELL, when it
 * makes the script and whenever that asks it: the script says which shell it is.
 * @throws Failure `usage_wrong`
 */
export async function completionScript(given: string | undefined, variables: Variables): Promise<string> {
  const shell = shellOf(given, variables);
  const { env } = process;
  const before = env['SHELL'];
  env['SHELL'] = shell;
  const { default: yargs } = await import('yargs');
  const parser = yargs().scriptName('postern');
  if (before === undefined) delete env['SHELL'];
  else env['SHELL'] = before;
  parser.command('$0', false, {}, () => void parser.showCompletionScript());
  let script = '';
  await parser.parseAsync([], {}, (_error, _given, output) => {
    script = output;
  });
  const ours = script.replaceAll('postern completion', `postern completion ${shell}`);
  return `${ours.replace('postern --get', `env SHELL=${shell} postern --get`)}\n`;
}
