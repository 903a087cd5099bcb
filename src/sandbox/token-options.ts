import type { OptionSpec } from '../core/command.js';

/** What the sandbox issues, and whom it trusts. */
export const tokenOptions = [
  {
    name: 'lifetime',
    kind: 'number',
    min: 1,
    max: 86_400,
    default: 300,
    value: 'SECONDS',
    describe: 'of access tokens',
  },
  {
    name: 'id-token-lifetime',
    kind: 'number',
    min: 1,
    max: 86_400,
    default: 3600,
    value: 'SECONDS',
    describe: 'of ID tokens of the company’s provider',
  },
  {
    name: 'company',
    kind: 'string',
    value: 'ISSUER',
    describe: 'trust the company’s provider of another sandbox, not its own',
  },
] as const satisfies readonly OptionSpec[];
