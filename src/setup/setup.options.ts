import type { CommandTable } from '../core/command.js';

export const setupTable = {
  name: 'setup',
  group: 'programs',
  summary: 'show, or write, the entry that another program needs',
  positionals: [
    {
      name: 'program',
      describe:
        'claude, codex (headers); copilot, cline, qwen, gemini, opencode, kilo, droid, grok, kimi, amp, goose, crush, devin-cli, cursor, vscode, vscode-insiders, vscodium, cline-vscode, zed, devin, windsurf, antigravity, kiro, junie, warp, claude-desktop, lm-studio (bridge); git, kubectl, bazel, go, curl',
      required: false,
    },
    { name: 'server', describe: 'URL, or name of a login; not needed when there is one login', required: false },
  ],
  options: [
    {
      name: 'write',
      kind: 'boolean',
      describe: 'put it there; the file as it was is kept for --undo',
      excludes: ['undo', 'check', 'list'],
    },
    {
      name: 'undo',
      kind: 'boolean',
      describe: 'take back what --write did; to the byte where nobody else has changed the file',
      excludes: ['check', 'list'],
    },
    {
      name: 'check',
      kind: 'boolean',
      describe:
        'check the entry, run what the program would run by it, say what it gets, without showing it; without a program, for every entry that was ever written',
      excludes: ['list'],
    },
    { name: 'list', kind: 'boolean', describe: 'which programs are on this machine, and what is set up' },
    { name: 'all', kind: 'boolean', describe: 'with --list: the programs that were not found, too' },
    {
      name: 'as',
      kind: 'string',
      value: 'NAME',
      describe: 'what the program is to call it',
      fallback: 'the login’s name, else made of the host',
    },
    { name: 'project', kind: 'boolean', describe: 'in the working folder’s own configuration, not in the person’s' },
    {
      name: 'user',
      kind: 'boolean',
      describe: 'with --undo: in the person’s own configuration',
      excludes: ['project'],
    },
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    {
      name: 'proxy',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'print the address of your postern proxy at that port in place of a call',
      excludes: ['list', 'write', 'check', 'undo', 'project', 'whole-host', 'with-proxy'],
    },
    {
      name: 'key-file',
      kind: 'string',
      value: 'FILE',
      describe: 'with --proxy: the key file that it was started with',
    },
    {
      name: 'with-proxy',
      kind: 'boolean',
      describe: 'name the proxy of HTTPS_PROXY in the entry, for programs that do not pass it on',
    },
    { name: 'whole-host', kind: 'boolean', describe: 'git, kubectl, bazel, go: for every path of the server’s host' },
  ],
  examples: [
    { command: 'postern setup claude work', describe: 'the entry, to be looked at or copied' },
    { command: 'postern setup claude work --write', describe: 'into ~/.claude.json, the rest untouched' },
    { command: 'postern setup claude work --undo', describe: 'as if it had never been' },
    { command: 'postern setup --check', describe: 'does all that was ever written still work?' },
  ],
  notes: [
    'The entry goes to stdout, all that is said about it to stderr. It never holds a token: the program runs postern when it needs one. It names the server and the account, so that a login’s name that is given to another server later changes nothing; where the program cannot hold the address, or its query seems to hold a secret, the login’s name with a pin (--pin) of both. Paths in it are absolute, since programs with a window know no PATH of a shell.',
  ],
  more: [
    '--check runs an entry only where its command, login and variables are those that postern wrote, or would write now; any other is compared, and not run. A project’s file may be changed by others, so --project --write takes members out of the entry that set variables (env).',
    '--write keeps comments, layout, line endings and mode of the file, follows a symbolic link to what it leads to (with --project, never out of the project), and replaces it in one step. A server’s other credentials in that very entry (a static Authorization, a variable with a token) are taken out, since they would win; others are named. --undo puts the whole file back; where others have changed it, or laid it out anew, the entry alone; where the entry itself was changed, nothing.',
    'With --proxy the entry holds the address of a proxy that keeps it (postern help proxies), for all programs that take a URL: claude-desktop and junie get none, nor do those that ask for a credential. That holds a key, so it is printed alone, and goes into no project’s file.',
    'Backups are in the folder setup of the state folder, closed to others, and are removed by --undo.',
  ],
  seeAlso: ['hosts', 'credential-helpers'],
} as const satisfies CommandTable;
