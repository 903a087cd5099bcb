import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** This machine: what a login needs of it. */
export const machineFindings = {
  'store-unavailable': {
    level: 'failure',
    step: 'machine',
    who: 'you',
    exit: exitCode.store,
    title: 'logins cannot be stored',
    remedy: 'See: postern help stores',
    source: 'MCP authorization, Token Theft',
    explanation:
      'A login is kept in the system’s keychain, or where you chose. A login is not begun where its result could not be kept.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
