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
    topic: 'testing',
    kind: 'number',
    min: 1,
    max: 86_400,
    default: 3600,
    value: 'SECONDS',
    describe: 'lifetime of the provider’s ID tokens',
  },
  {
    name: 'company',
    topic: 'testing',
    kind: 'string',
    value: 'ISSUER',
    describe: 'trust the provider of another sandbox',
  },
] as const satisfies readonly OptionSpec[];
