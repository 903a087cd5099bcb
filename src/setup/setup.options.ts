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
    { name: 'undo', kind: 'boolean', describe: 'take back what --write did', excludes: ['check', 'list'] },
    {
      name: 'check',
      kind: 'boolean',
      describe: 'check the entry, and run what the program would run; without a program, check every entry',
      excludes: ['list'],
    },
    { name: 'list', kind: 'boolean', describe: 'which programs are on this machine, and what is set up' },
    { name: 'all', needs: ['list'], kind: 'boolean', describe: 'with --list: the programs that were not found, too' },
    {
      name: 'as',
      kind: 'string',
      value: 'NAME',
      describe: 'what the program is to call it',
      fallback: 'the login’s name, else made of the host',
    },
    { name: 'project', kind: 'boolean', describe: 'in the working folder’s own configuration' },
    {
      name: 'user',
      needs: ['undo'],
      kind: 'boolean',
      describe: 'with --undo: in the person’s own configuration',
      excludes: ['project'],
    },
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    {
      name: 'proxy',
      needs: ['key-file'],
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'print the address of your postern proxy at that port in place of a call',
      excludes: ['list', 'write', 'check', 'undo', 'project', 'whole-host', 'with-proxy'],
    },
    {
      name: 'key-file',
      needs: ['proxy'],
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
    'The entry goes to stdout, everything about it to stderr. It never holds a token: the program runs postern when it needs one. Paths in it are absolute, as a program with a window has no PATH of a shell.',
  ],
  seeAlso: ['hosts', 'credential-helpers'],
} as const satisfies CommandTable;
