import type { CommandTable } from '../../core/command.js';

export const helpTable: CommandTable = {
  name: 'help',
  summary: 'explain a command or a topic',
  positionals: [{ name: 'topic', describe: 'a command, or a topic that postern --help lists', required: false }],
  options: [],
  examples: [
    { command: 'postern help login', describe: 'a command' },
    { command: 'postern help stores', describe: 'a topic: where logins are kept' },
  ],
};

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** The line that installs what completes words, for each shell. */
export const installLines: Readonly<Record<Shell, string>> = {
  bash: 'postern completion bash >> ~/.bashrc',
  zsh: 'postern completion zsh >> ~/.zshrc',
  fish: 'postern completion fish > ~/.config/fish/completions/postern.fish',
  powershell: 'postern completion powershell >> $PROFILE',
};

export const completionTable: CommandTable = {
  name: 'completion',
  summary: 'complete words at the Tab key of a shell',
  positionals: [
    {
      name: 'shell',
      describe: `${shells.join(', ')} (default: the one in $SHELL)`,
      required: false,
      choices: [...shells, 'pwsh'],
    },
  ],
  options: [],
  examples: shells.map((shell) => ({ command: installLines[shell], describe: `install it for ${shell}` })),
  notes: [
    'It completes commands, options, names of logins, and tools that were listed within a day; no server is asked. Open a new shell once it is installed.',
  ],
};

export const versionTable: CommandTable = {
  name: 'version',
  summary: 'print the version',
  positionals: [],
  options: [],
};

/** The commands that the command line answers by itself. */
export const ownTables: readonly CommandTable[] = [helpTable, completionTable, versionTable];
