import type { CommandTable } from '../core/command.js';

export const upgradeCheckTable = {
  name: 'upgrade-check',
  group: 'more',
  seeAlso: ['uninstall'],
  summary: 'tell whether there is a newer release, and how to get it',
  positionals: [],
  options: [],
  examples: [
    { command: 'postern upgrade-check', describe: 'asks npm, and says what to type' },
    { command: 'postern upgrade-check --field newer', describe: 'true or false, for a script' },
  ],
  notes: [
    'It asks your own npm (npm view), with the registry, the proxy and the certificates that npm is set up with. Nothing is installed. postern never looks for releases by itself.',
    'A prerelease is compared with the newest prerelease, too. Where npm’s package of this name says that it comes from another repository than this program, it is not offered.',
    'Exit code 0 says that npm was asked; 6 that it could not be, and 2 that there is no npm.',
  ],
} as const satisfies CommandTable;
