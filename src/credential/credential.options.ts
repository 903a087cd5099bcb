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
    {
      ...minTtlOption,
      describe: 'refresh a token with less life left than this',
      fallback: '60, env 300; never more than a part of the token’s lifetime',
    },
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
      describe:
        'env: the variable for the token, with “,header” for Authorization: Bearer …, with “,value” for Bearer …; again for more',
      fallback: 'POSTERN_ACCESS_TOKEN',
    },
    {
      name: 'whole-host',
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
      describe: 'the whole answer, start included, takes no longer; most callers wait 10',
    },
    {
      name: 'shim',
      kind: 'string',
      value: 'FILE',
      describe: 'write a program that answers so, for callers that allow no arguments',
    },
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
    'Answers for a server that there is a login for, at its own path and below, and for no other.',
    'Nobody is asked and no browser is opened. The output is whole, or empty with a line on stderr and an exit code; status remembers it. Limits: --timeout; stdin 1 MiB, 256 lines and 5 s, and only where the format defines it.',
  ],
  more: [
    'Answers for a server that there is a login for, at its own path and below, and for no other: git, bazel, goauth and terraform get nothing there, and no error. Where the login for that address fails, git is told to quit, so that it asks nobody for a password. headers without a server takes CLAUDE_CODE_MCP_SERVER_URL, kubectl the cluster’s address. terraform names a host alone: log in to its root, or add --whole-host; --shim ~/.terraform.d/plugins/terraform-credentials-postern writes its helper. git says no path unless credential.useHttpPath is set.',
    'headers gives what is kept for the server beside the token (postern login --header-file), too: the program that asks sends it, and whether it does so along a redirect is up to that program; bridge and proxy never do. The other formats give the token alone.',
    'A token is refreshed in a process of its own, which goes on where the caller ends this one; with -v its requests are shown here, marked (refresh), once it has ended.',
    'erase (git), or a 401 (goauth), has this very token refreshed at the next use; so has a program that asks for headers or kubectl again within 10 s of being given it, once a minute at most. No login is ever removed.',
  ],
  seeAlso: ['credential-helpers'],
} as const satisfies CommandTable;
