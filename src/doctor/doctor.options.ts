import type { CommandTable } from '../core/command.js';
import { headerOptions } from '../tokens/server-headers.js';

export const doctorTable = {
  name: 'doctor',
  group: 'more',
  summary: 'say why a login does not work, and who can fix it',
  positionals: [
    { name: 'server', describe: 'its URL, or the name of a login; without: this machine', required: false },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'the account, where a login of it is meant' },
    { name: 'explain', kind: 'string', value: 'FINDING', describe: 'what a finding means; list: all of them' },
    {
      name: 'fail-on',
      kind: 'string',
      choices: ['error', 'warning', 'never'],
      default: 'error',
      describe: 'lowest level that fails',
    },
    {
      name: 'from',
      kind: 'string',
      value: 'PROGRAM',
      describe: 'what a program gets that setup wrote an entry for',
      excludes: ['explain'],
    },
    { name: 'login', kind: 'boolean', describe: 'log in for this run, and look at what comes of it' },
    {
      name: 'scope',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'list',
      value: 'SCOPE',
      describe: 'with --login: ask for these scopes; again for more',
    },
    {
      name: 'browser',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser', 'device'],
    },
    {
      name: 'no-browser',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: print the address of the login page instead',
    },
    {
      name: 'device',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'boolean',
      describe: 'with --login: show a code to type in a browser anywhere',
    },
    {
      name: 'timeout',
      needs: ['login'],
      topic: 'diagnosis',
      kind: 'number',
      min: 10,
      max: 3600,
      value: 'SECONDS',
      describe: 'with --login: how long to wait for the answer in the browser',
      fallback: '900 at a terminal, else 300',
    },
    ...headerOptions,
    { name: 'junit', kind: 'string', value: 'FILE', describe: 'the report, as CI servers read it (JUnit)' },
    { name: 'bundle', kind: 'string', value: 'FILE', describe: 'all of the run for a bug report; no secret is in it' },
  ],
  examples: [
    {
      command: 'postern doctor https://example.com/mcp',
      describe: 'the steps of a login, as far as nobody has to log in',
    },
    {
      command: 'postern doctor https://example.com/mcp --login',
      describe: 'with a login made for it: iss, token, refresh, revocation',
    },
    { command: 'postern doctor', describe: 'this machine: store, browser, logins, programs that are set up' },
    { command: 'postern doctor --from claude', describe: 'what Claude Code would get by its entry, and why' },
    { command: 'postern doctor --explain resource-mismatch', describe: 'a finding in plain words, with its source' },
    {
      command: 'postern doctor http://127.0.0.1:7000/mcp --login --device --fail-on warning',
      describe: 'all of it, where the authorization server says yes by itself (postern sandbox --approve)',
    },
    { command: 'postern doctor work --fail-on warning --json', describe: 'for a CI job' },
  ],
  terms: {
    title: 'Verdicts',
    rows: [
      ['PASS', 'as it should be'],
      ['NOTE', 'good to know'],
      ['WARN', 'some programs or people will have trouble'],
      ['FAIL', 'a login cannot work, or is not safe'],
      ['SKIP', 'follows from another step, or needs --login'],
    ],
  },
  notes: [
    'Without --login nothing is registered, and no login is made. A stored token is used only if you name its login (postern doctor work), and with --from.',
  ],
  seeAlso: ['logging-in', 'diagnosis', 'exit-codes'],
} as const satisfies CommandTable;
