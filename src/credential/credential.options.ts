import type { CommandTable } from '../core/command.js';
import { ownLoginOptions } from '../stores/own-login.js';
import { pinOption } from '../tokens/login-pin.js';

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

/** Formats of programs that ask again after a 401, and do not say so (Claude Code, client-go). */
export const formatsAskedAgain: ReadonlySet<string> = new Set(['headers', 'kubectl']);

export type CredentialFormat = (typeof credentialFormats)[number];

export const minTtlOption = { name: 'min-ttl', kind: 'number', min: 0, max: 86_400, value: 'SECONDS' } as const;

export const credentialTable = {
  name: 'credential',
  environmentToken: true,
  noJson: true,
  group: 'programs',
  summary: 'answer another program that asks for a credential',
  unattended: true,
  positionals: [
    { name: 'format', describe: `one of ${credentialFormats.join(', ')}`, required: true },
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
      command: 'CARGO_REGISTRIES_WORK_TOKEN=$(postern credential value work) cargo build',
      describe: 'cargo, pnpm and others take the header’s value: Bearer …',
    },
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
