import type { ArgumentsOf, CommandTable } from '../core/command.js';

export const clientMetadataTable = {
  name: 'client-metadata',
  group: 'more',
  summary: 'host a client identity of your own',
  positionals: [
    {
      name: 'action',
      describe: 'init, build, check, show or rotate (below)',
      required: true,
      choices: ['init', 'build', 'check', 'show', 'rotate'],
    },
    { name: 'target', describe: 'FOLDER, FILE, URL or server, by action', required: false },
  ],
  options: [
    {
      name: 'url',
      kind: 'string',
      value: 'URL',
      env: 'POSTERN_CLIENT_METADATA_URL',
      describe: 'init, build, show: the address of the document, https://…/client.json',
    },
    {
      name: 'name',
      kind: 'string',
      value: 'NAME',
      describe: 'init, build: what people are shown',
      fallback: 'postern',
    },
    { name: 'contact', kind: 'string', value: 'WHO', describe: 'init, build: where abuse is reported' },
    {
      name: 'redirect-uri',
      kind: 'list',
      value: 'URI',
      describe: 'init, build: redirect URI to list; repeatable',
      fallback: 'the usual ones, or the document’s',
    },
    {
      name: 'auth',
      kind: 'string',
      choices: ['none', 'private_key_jwt'],
      value: 'METHOD',
      describe: 'init: a public client, or one with a key pair of its own',
      fallback: 'none',
    },
    {
      name: 'out',
      kind: 'string',
      value: 'DIR',
      describe: 'init, build: the folder to write',
      fallback: 'client-metadata',
    },
    {
      name: 'store',
      kind: 'string',
      value: 'STORE',
      env: 'POSTERN_STORE',
      describe: 'init, rotate: where the private key is kept',
      fallback: 'keychain',
    },
    { name: 'retire', kind: 'boolean', describe: 'rotate: end the overlap, drop the older key' },
    { name: 'offline', kind: 'boolean', describe: 'check: the file alone, ask nobody' },
  ],
  examples: [
    {
      command: 'postern client-metadata init --url https://example.com/postern/client.json',
      describe: 'make the folder to host, in ./client-metadata',
    },
    {
      command: 'postern client-metadata check https://example.com/postern/client.json',
      describe: 'judge what is served there, as an authorization server does',
    },
    {
      command: 'postern client-metadata show https://example.com/mcp',
      describe: 'how a login there would name itself, and why',
    },
  ],
  terms: {
    title: 'Actions',
    rows: [
      [
        'init',
        'write the folder to host: the document, a page about it, a logo, rules for common hosts; a key pair with --auth private_key_jwt',
      ],
      ['build [FOLDER]', 'write it again from its document, with these options'],
      ['check [TARGET]', 'judge a URL, a file or a folder; exit 5 if a rule is broken'],
      ['show SERVER', 'the client ID and redirect URI of a login there, and why'],
      ['rotate [FOLDER]', 'publish a new key; with --retire, drop the old one'],
    ],
  },
  seeAlso: ['clients'],
} as const satisfies CommandTable;

export type DocumentArguments = ArgumentsOf<typeof clientMetadataTable>;
