import type { CommandTable } from '../core/command.js';

export const keeperTable = {
  name: 'keeper',
  group: 'programs',
  summary: 'keep the logins of a fleet fresh',
  positionals: [
    {
      name: 'login',
      describe: 'names of logins, or servers’ URLs; all that can be refreshed without',
      required: false,
      many: true,
    },
  ],
  options: [
    {
      name: 'store',
      kind: 'string',
      value: 'STORE',
      describe: 'only logins that are kept there; of a shared store (redis:…) those of all machines',
      fallback: 'the shared store of the configuration, else every login of this person',
    },
    {
      name: 'ahead',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 600,
      value: 'SECONDS',
      describe: 'how long before its end a token is refreshed; at most a third of its life',
    },
    {
      name: 'listen',
      kind: 'string',
      value: '127.0.0.1:PORT',
      describe: 'serve /healthz and /metrics (Prometheus) there, for this machine alone; 0: any free port',
      excludes: ['socket'],
    },
    {
      name: 'socket',
      kind: 'string',
      value: 'PATH',
      describe: 'the same at a Unix socket, for its owner alone (0600)',
    },
  ],
  examples: [
    { command: 'postern keeper --listen 127.0.0.1:9464', describe: 'keep every login fresh, with metrics' },
    {
      command: 'postern keeper --store redis:rediss://cache.example:6380 --socket /run/postern/keeper.sock',
      describe: 'those that a fleet shares',
    },
  ],
  notes: [
    'It runs until it is ended. Tokens are refreshed before they end, so machines that share the store only read. It never opens a browser: where only a person can fix a login, it says so once, with the command, goes on with the others, and tries that one again from time to time.',
    'Of several keepers of one shared store one works: the one that has the store’s lease (15 s, renewed every 5 s). When it is killed, another follows within 20 s; at SIGTERM and Ctrl-C it ends the refresh under way, then hands over at once. Two that both lead for a moment do no harm: each refresh has a turn of its own.',
    'Lines for people are on stderr. With --json each event is one object on stdout: started, leading, standing_by, stepped_down, refreshed, refresh_failed, store_failed, store_back, ended. /healthz responds 503 while the store is out of reach. Exit 0 when it was ended.',
  ],
  seeAlso: ['fleet', 'stores'],
} as const satisfies CommandTable;
