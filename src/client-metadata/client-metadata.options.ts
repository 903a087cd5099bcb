import type { ArgumentsOf, CommandTable } from '../core/command.js';

export const clientMetadataTable = {
  name: 'client-metadata',
  group: 'more',
  summary: 'host a client identity of your own',
  positionals: [
    { name: 'action', describe: 'init, build, check, show or rotate (below)', required: true },
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
    {
      name: 'contact',
      kind: 'string',
      value: 'WHO',
      brief: 'init, build: where abuse is reported',
      describe: 'init, build: where abuse is reported, an e-mail address or https URL',
    },
    {
      name: 'redirect-uri',
      kind: 'list',
      value: 'URI',
      brief: 'init, build: the redirect URI to list; again for more',
      describe:
        'init, build: the redirect URI to list, as login --redirect-uri takes it; without a port it stands for any; again for more',
      fallback: 'init: the usual ones; build: those of the document',
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
      fallback: 'init: client-metadata; build: FOLDER',
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
        'writes the folder for an address: the document, a page about it, a logo, rules for common hosts. With --auth private_key_jwt a key pair is made; its private half goes to the secret store. With --redirect-uri it lists these addresses alone; where http://127.0.0.1/callback is none of them, the first login at an authorization server needs login --redirect-uri, too.',
      ],
      [
        'build [FOLDER]',
        'writes it again from its own document, with what the options change; the same bytes for the same settings. Where there is none yet: from --url, or the configured address.',
      ],
      [
        'check [TARGET]',
        'every rule for such documents, of a URL, a file or a folder; a file is judged, and what its address serves, and both are compared. Without a word: the configured address, else ./client-metadata. Exit code 5 when a rule is broken.',
      ],
      [
        'show SERVER',
        'which client identifier and redirect URI a login there would send, and why; nothing is registered or opened.',
      ],
      ['rotate [FOLDER]', 'publishes a new key before the old one; with --retire, later, the new one alone.'],
    ],
  },
  notes: ['Limits of check: 5 s, no redirects, 5 KiB as the most that counts.'],
  seeAlso: ['clients'],
} as const satisfies CommandTable;

export type DocumentArguments = ArgumentsOf<typeof clientMetadataTable>;
