import type { CommandTable } from '../table.js';

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
    {
      name: 'require-pushed-requests',
      kind: 'boolean',
      describe: 'take no authorization request that was not pushed before (RFC 9126)',
    },
    { name: 'no-metadata-documents', kind: 'boolean', describe: 'no client ID metadata documents' },
    {
      name: 'allow-client-documents-from',
      kind: 'list',
      value: 'HOST:PORT',
      describe: 'fetch metadata documents from there, though it is on this computer or in a private network',
    },
    {
      name: 'client-documents-ca',
      kind: 'string',
      value: 'FILE',
      describe: 'certificates (PEM) to trust when they are fetched',
    },
    {
      name: 'trust-clients-of',
      kind: 'list',
      value: 'DOMAIN',
      describe:
        'of clients with a metadata document let only those of this domain in: example.com, *.example.com',
      fallback: 'any domain',
    },
    {
      name: 'clients',
      kind: 'string',
      value: 'FILE',
      describe:
        'clients known beforehand, e.g. for --client-credentials: JSON, one object of client metadata with its client_id, or a list',
    },
    {
      name: 'misbehave',
      kind: 'list',
      value: 'NAME',
      describe: 'break a rule on purpose (list below); again for more',
    },
  ],
  examples: [
    {
      command: 'postern sandbox --allow-client-documents-from 127.0.0.1:8443 --client-documents-ca ca.pem',
      describe: 'try a client’s metadata document before it is hosted',
    },
    {
      command: 'postern sandbox --clients robot.json',
      describe: 'a client that logs in as itself: {"client_id":"robot","client_secret":"…"}',
    },
    { command: 'postern sandbox --misbehave as-issuer-mismatch', describe: 'a server that breaks a rule' },
  ],
  notes: [
    'Prints the address of the protected server on stdout. Everything is kept in memory and gone at the end. Ctrl-C ends it.',
  ],
} as const satisfies CommandTable;
