import type { CommandTable } from '../core/command.js';

export const configTable = {
  name: 'config',
  group: 'more',
  summary: 'show every setting: its value and source, how to change it',
  positionals: [
    {
      name: 'action',
      describe: 'get, set, unset, edit or path; without: show every setting',
      required: false,
      choices: ['get', 'set', 'unset', 'edit', 'path'],
    },
    { name: 'key', describe: 'of get, set and unset', required: false },
    { name: 'value', describe: 'of set', required: false },
  ],
  options: [],
  examples: [
    { command: 'postern config set timeoutSeconds 60', describe: 'checked, then written into config.json' },
    { command: 'postern config get store', describe: 'its value, wherever that comes from' },
    { command: 'postern config edit', describe: 'the file in $VISUAL or $EDITOR; checked before it is replaced' },
  ],
  notes: [
    'Settings stand in config.json, a JSON object in the folder that is shown, by key. A variable goes before the file, an option before both. Nothing in a value is expanded, and nothing is read from the working folder.',
    'clients, in the file alone: clients that were registered by hand, such as [{"issuer": "https://as.example", "clientId": "abc", "redirectUri": "http://127.0.0.1:8765/callback"}]. Their secrets are given once, with --client-secret-stdin.',
    'clientCertificates, in the file alone: certificates for TLS, each shown to the addresses named with it and to nobody else, such as [{"origins": ["https://example.com"], "certFile": "/home/me/cert.pem", "keyFile": "/home/me/key.pem"}]. The key file has to be yours and closed to others (chmod 600).',
    'Of the environment, HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are honoured, and shown.',
  ],
  seeAlso: ['environment', 'proxies'],
} as const satisfies CommandTable;
