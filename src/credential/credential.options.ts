import type { CommandTable } from '../core/command.js';
import { ownLoginOptions, pinOption } from '../stores/own-login.js';

/** The forms in which other programs ask for a credential. */
export const credentialFormats = [
  'headers',
  'header',
  'value',
  'token',
  'curl',
  'env',
  'git',
  'kubectl',
  'bazel',
  'goauth',
  'terraform',
] as const;

export type CredentialFormat = (typeof credentialFormats)[number];

const minTtlOption = { name: 'min-ttl', kind: 'number', min: 0, max: 86_400, value: 'SECONDS' } as const;

export const credentialTable = {
  name: 'credential',
  environmentToken: true,
  noJson: true,
  group: 'programs',
  summary: 'answer another program that asks for a credential',
  unattended: true,
  positionals: [
    { name: 'format', describe: `one of ${credentialFormats.join(', ')}`, required: true, choices: credentialFormats },
    {
      name: 'words',
      describe:
        'the server: a URL, or the name of a login; then what the caller adds: get, store, erase or capability (git), get (bazel), a URL (goauth), get and a host (terraform)',
      required: false,
      many: true,
    },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    pinOption,
    { ...minTtlOption, describe: 'refresh a token that expires sooner', fallback: '60, env 300' },
    {
      name: 'shell',
      kind: 'string',
      choices: ['sh', 'fish', 'pwsh', 'dotenv', 'json'],
      default: 'sh',
      describe: 'env: for whom the variables are written',
    },
    {
      name: 'var',
      kind: 'list',
      value: 'NAME[,header|,value]',
      describe: 'env: the variable; “,header” for Authorization: Bearer …, “,value” for Bearer …; repeatable',
      fallback: 'POSTERN_ACCESS_TOKEN',
    },
    {
      name: 'whole-host',
      topic: 'credential-helpers',
      kind: 'boolean',
      describe: 'git, bazel, kubectl, goauth, terraform: answer for any path of the server’s host',
    },
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 60,
      default: 8,
      value: 'SECONDS',
      describe: 'longest time for the answer; most callers wait 10',
    },
    { name: 'shim', kind: 'string', value: 'FILE', describe: 'write a program for callers that pass no arguments' },
    { name: 'show-secret', kind: 'boolean', describe: 'print it on a terminal, too' },
    ...ownLoginOptions,
  ],
  examples: [
    {
      command: 'postern credential headers work',
      describe: 'headersHelper of Claude Code, http_headers_helper of Codex CLI',
    },
    {
      command: 'postern credential header work | curl -H @- https://example.com/mcp',
      describe: 'never in an argument',
    },
    { command: 'eval "$(postern credential env work --var API_TOKEN)"', describe: 'in a shell' },
    {
      command: 'git config --global credential.https://example.com.helper postern',
      describe: 'git-credential-postern is on the PATH, too',
    },
    {
      command: 'postern credential bazel --shim ~/bin/postern-bazel',
      describe: 'then: bazel --credential_helper=example.com=$HOME/bin/postern-bazel',
    },
  ],
  notes: [
    'Answers for the server of a login, at its path and below, and for no other. It asks nothing and opens no browser. The output is whole, or empty with a line on stderr and an exit code, which status remembers.',
  ],
  seeAlso: ['credential-helpers'],
} as const satisfies CommandTable;

export const tokenTable = {
  name: 'token',
  environmentToken: true,
  group: 'use',
  summary: 'print a valid access token, and nothing else',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: true }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    { name: 'header', kind: 'boolean', describe: 'print it as a header: Authorization: Bearer …' },
    { ...minTtlOption, default: 60, describe: 'refresh a token with less life left than this' },
    {
      name: 'refresh',
      kind: 'boolean',
      describe: 'refresh it first, though it may live: where a server refuses that one',
    },
    ...ownLoginOptions,
  ],
  examples: [
    { command: 'postern token work', describe: 'print it' },
    { command: 'curl -H "$(postern token work --header)" https://example.com/mcp', describe: 'use it elsewhere' },
  ],
  notes: [
    'With --json: accessToken, tokenType, expiresAt (a time, or null) and scopes. Limits: 15 s for a refresh, 30 s to wait for another process’s, three with --refresh within a minute, 5 s for the keychain.',
  ],
  seeAlso: ['scripts', 'credential-helpers'],
} as const satisfies CommandTable;

export const execTable = {
  name: 'exec',
  environmentToken: true,
  noJson: true,
  group: 'use',
  summary: 'run a command with tokens in its environment',
  positionals: [
    {
      name: 'server',
      describe: 'a server’s URL, or the name of a login; its token goes into POSTERN_ACCESS_TOKEN',
      required: false,
    },
  ],
  rest: { name: 'command', describe: 'the command and its arguments, started as they are, without a shell' },
  options: [
    {
      name: 'var',
      kind: 'list',
      value: 'NAME=SERVER[,header|,value]',
      describe:
        'the variable for that server’s token, with “,header” as Authorization: Bearer …, with “,value” as Bearer …; NAME alone is for the server above; again for more',
    },
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for the server' },
    pinOption,
    {
      ...minTtlOption,
      default: 60,
      describe: 'start with no token that has less life left than this, refreshed or not',
    },
    ...ownLoginOptions,
  ],
  examples: [
    { command: 'postern exec work -- ./server', describe: 'a STDIO server that takes POSTERN_ACCESS_TOKEN' },
    {
      command: 'postern exec --var A_TOKEN=work --var B_AUTH=home,header -- make test',
      describe: 'two servers, other names',
    },
  ],
  notes: [
    'The token goes into the environment of the command and nowhere else; it is not renewed there. Whatever the command starts gets it, too. Names that programs act on (PATH, LD_PRELOAD, NODE_OPTIONS, …) are refused; NODE_AUTH_TOKEN and cargo’s CARGO_…_TOKEN (with “,value”) are not.',
    'Signals are passed on; the exit code is the command’s, 128 + n when signal n ended it. A failure before the command starts exits with a code of postern’s.',
  ],
  seeAlso: ['scripts'],
} as const satisfies CommandTable;
