import type { CommandTable } from '../core/command.js';
import { latestProtocolVersion, newestRevision } from '../core/product.js';
import { clientLoginOptions, memoryOption } from '../stores/own-login.js';
import { headerOptions } from '../tokens/server-headers.js';

/** `--login`, and what goes with it. */
const loginOptions = [
  { name: 'login', kind: 'boolean', describe: 'log in, or ask for more scope, in the browser if needed' },
  {
    name: 'browser',
    topic: 'scripts',
    kind: 'boolean',
    describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
    excludes: ['no-browser'],
  },
  { name: 'no-browser', kind: 'boolean', describe: 'open no browser: print the address instead' },
] as const;

/** Which login a conversation is for, and what goes with each request. */
const serverOptions = [
  { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
  ...loginOptions,
  memoryOption,
  ...clientLoginOptions,
  ...headerOptions,
] as const;

/** How a conversation with a server goes, in every command that has one. */
const conversationOptions = [
  {
    name: 'elicitation',
    topic: 'scripts',
    kind: 'string',
    choices: ['ask', 'defaults', 'decline'],
    value: 'HOW',
    describe: 'when the server asks something in the middle of a call',
    fallback: 'ask on a terminal, else decline',
  },
  {
    name: 'protocol',
    topic: 'scripts',
    kind: 'string',
    choices: [latestProtocolVersion, newestRevision],
    value: 'REVISION',
    describe: 'speak this revision of the protocol',
    fallback: 'what the server speaks, which is kept for a week',
  },
  {
    name: 'timeout',
    kind: 'number',
    min: 1,
    max: 86_400,
    default: 60,
    value: 'SECONDS',
    describe: 'how long to wait, in seconds',
  },
] as const;

/** How a result is printed: laid out for a person, as JSON in one line, or as the server wrote it. */
export const outputForms = ['text', 'json', 'raw'] as const;

export type OutputForm = (typeof outputForms)[number];

/** What becomes of a result, in every command that prints one. */
const resultOptions = [
  { name: 'long', alias: 'l', kind: 'boolean', describe: 'all of each description, and each parameter' },
  {
    name: 'output',
    kind: 'string',
    choices: outputForms,
    value: 'FORM',
    describe: 'how to print the result',
    fallback: 'text; json with --json',
  },
  { name: 'save', kind: 'string', value: 'DIR', describe: 'save images, audio and resources there' },
] as const;

/** What commands take behind “--”. */
const programRest = {
  name: 'command',
  describe:
    'instead of a server with an address: a program that is one (stdio), started as it is, without a shell and without POSTERN_… variables',
} as const;

export const callTable = {
  name: 'call',
  environmentToken: true,
  group: 'use',
  summary: 'list and call tools, read resources, get prompts',
  positionals: [
    { name: 'server', describe: 'URL or login name', required: false },
    { name: 'method', describe: 'a tool, or a method such as resources/read (default: tools/list)', required: false },
    {
      name: 'arguments',
      describe:
        'key=value, or a value alone for a tool’s only required parameter; key:=json, @file with a JSON object, - for one on stdin',
      required: false,
      many: true,
    },
  ],
  rest: programRest,
  options: [
    ...serverOptions,
    { name: 'watch', kind: 'boolean', describe: 'follow the messages that the server sends unasked' },
    {
      name: 'ping',
      topic: 'scripts',
      kind: 'number',
      min: 1,
      max: 3_600,
      default: 30,
      value: 'SECONDS',
      describe:
        'with --watch: how often the server is asked whether it is still there; it has as long to answer, at most 15 s',
    },
    ...resultOptions,
    ...conversationOptions,
  ],
  examples: [
    { command: 'postern call work', describe: 'list the tools' },
    { command: 'postern call work -l', describe: 'with what each parameter means' },
    { command: 'postern call work add --help', describe: 'what a tool takes, and an example to copy' },
    { command: 'postern call work add a=5 b=3', describe: 'call the tool “add”' },
    { command: 'postern call work chart --save .', describe: 'save the images that it brings' },
    { command: 'postern call work resources/read uri=file:///x', describe: 'any method' },
    { command: 'postern call work --watch', describe: 'one line for each notification, until Ctrl-C' },
    { command: 'postern call add a=5 b=3 -- npx -y a-server', describe: 'a stdio server: the same, before “--”' },
    {
      command:
        'POSTERN_CLIENT_ID=ci POSTERN_CLIENT_SECRET_FILE=/run/secrets/ci postern call https://example.com/mcp add a:=5 b:=3 --client-credentials --authorization-server https://as.example',
      describe: 'in CI: as the client itself, nothing is kept',
    },
  ],
  notes: [
    'key=value becomes what the tool’s schema wants: a number, a truth value, JSON or text; what the schema does not know is refused before the call. key:=json, @file and - are sent as they are. The list of tools is kept for a day.',
    'The result goes to stdout, progress to stderr. A tool that fails is exit 8.',
  ],
  seeAlso: ['scripts', 'json'],
} as const satisfies CommandTable;

export const requestTable = {
  name: 'request',
  environmentToken: true,
  noJson: true,
  group: 'use',
  summary: 'one HTTP request with the login’s token, like curl',
  positionals: [{ name: 'url', describe: 'at or below the server of a login', required: true }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    {
      name: 'request',
      alias: 'X',
      kind: 'string',
      value: 'METHOD',
      describe: 'the HTTP method',
      fallback: 'GET, or POST with --data',
    },
    { name: 'header', alias: 'H', kind: 'list', value: 'LINE', describe: 'a header, “Name: value”; again for more' },
    { name: 'data', alias: 'd', kind: 'list', value: 'DATA', describe: 'the body; @FILE from a file, @- from stdin' },
    { name: 'include', alias: 'i', kind: 'boolean', describe: 'print status line and headers first' },
    { name: 'output', alias: 'o', kind: 'string', value: 'FILE', describe: 'write the body to a file' },
    { name: 'fail', alias: 'f', kind: 'boolean', describe: 'exit 8 and print no body when the status is 400 or more' },
    ...loginOptions,
    memoryOption,
    ...clientLoginOptions,
    ...headerOptions,
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      value: 'SECONDS',
      describe: 'for the whole answer; 60 s until it begins in any case',
      fallback: 'none, for streams',
    },
  ],
  examples: [
    { command: 'postern request https://example.com/mcp/health', describe: 'GET' },
    { command: 'postern request -d @body.json -H "content-type: application/json" URL', describe: 'POST' },
  ],
  notes: [
    'Redirects are shown, not followed: the token goes to the server of its login and nowhere else.',
    'Limits: those of postern config; 1 MiB for a body given with --data @FILE that is to be sent twice.',
  ],
  seeAlso: ['scripts'],
} as const satisfies CommandTable;

export const shellTable = {
  name: 'shell',
  environmentToken: true,
  noJson: true,
  group: 'use',
  seeAlso: ['call'],
  summary: 'a session with a server, kept open, to try it by hand',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: false }],
  rest: programRest,
  options: [...serverOptions, ...resultOptions, ...conversationOptions],
  examples: [
    { command: 'postern shell work', describe: 'a prompt; “help” there says what to type' },
    { command: 'postern shell work < commands', describe: 'one command a line; exit code of the last that failed' },
    { command: 'postern shell work --save pictures', describe: 'save the images that tools bring' },
    { command: 'postern shell -- npx -y a-server', describe: 'a stdio server' },
  ],
  notes: [
    'A line is what postern call takes after the server; --output FORM and --save DIR may stand in it, too, and then count for that line. TAB completes, Ctrl-C cancels what runs, Ctrl-D ends. The last 500 lines are kept, those that seem to hold a secret left out.',
  ],
} as const satisfies CommandTable;
