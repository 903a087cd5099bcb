import type { CommandTable } from '../table.js';

export const versionTable = {
  name: 'version',
  summary: 'show the version',
  positionals: [],
  options: [],
} as const satisfies CommandTable;
