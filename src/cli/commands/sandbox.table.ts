import type { CommandTable } from '../table.js';
import { faultNames } from './sandbox.faults.js';

export const sandboxTable = {
  name: 'sandbox',
  summary: 'an authorization server and a protected server on 127.0.0.1, to try everything',
  positionals: [],
  options: [
    {
      name: 'port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of the protected server',
      fallback: 'any free one',
    },
    {
      name: 'authorization-port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of the authorization server',
      fallback: 'any free one',
    },
    {
      name: 'lifetime',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 300,
      value: 'SECONDS',
      describe: 'of access tokens',
    },
    { name: 'issuer-path', kind: 'string', value: 'PATH', describe: 'path of the issuer, e.g. /tenant1' },
    {
      name: 'metadata',
      kind: 'string',
      choices: ['both', 'oauth', 'openid', 'openid-appended'],
      default: 'both',
      value: 'WHICH',
      describe: 'which authorization server metadata is served',
    },
    {
      name: 'discovery',
      kind: 'string',
      choices: ['both', 'header', 'well-known'],
      default: 'both',
      value: 'WHICH',
      describe: 'how the protected resource metadata is found',
    },
    {
      name: 'well-known',
      kind: 'string',
      choices: ['path', 'root'],
      default: 'path',
      value: 'FORM',
      describe: 'form of its well-known address',
    },
    { name: 'no-registration', kind: 'boolean', describe: 'no dynamic client registration' },
    { name: 'no-metadata-documents', kind: 'boolean', describe: 'no client ID metadata documents' },
    {
      name: 'allow-loopback-documents',
      kind: 'boolean',
      describe: 'metadata documents may lie on loopback addresses',
    },
    {
      name: 'misbehave',
      kind: 'list',
      value: 'NAME',
      describe: 'break a rule on purpose (list below); again for more',
    },
  ],
  examples: [
    { command: 'postern sandbox --misbehave as-issuer-mismatch', describe: 'a server that breaks a rule' },
  ],
  notes: [
    'Prints the address of the protected server on stdout. Everything is kept in memory and gone at the end. Ctrl-C ends it.',
    ...Object.entries(faultNames).map(([where, names]) => `Faults of ${where}: ${names.join(', ')}`),
  ],
} as const satisfies CommandTable;
