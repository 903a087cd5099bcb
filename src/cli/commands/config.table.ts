import type { CommandTable } from '../table.js';

export const configTable = {
  name: 'config',
  summary: 'show every setting: its value, where that comes from, how to change it',
  positionals: [],
  options: [],
  notes: [
    'Settings stand in config.json, a JSON object in the folder that is shown, by key. A variable goes before the file, an option before both. Nothing in a value is expanded, and nothing is read from the working folder.',
    'clients, in the file alone: clients that were registered by hand, such as [{"issuer": "https://as.example", "clientId": "abc", "redirectUri": "http://127.0.0.1:8765/callback"}]. Their secrets are given once, with --client-secret-stdin.',
    'clientCertificates, in the file alone: certificates for TLS, each shown to the addresses named with it and to nobody else, such as [{"origins": ["https://example.com"], "certFile": "/home/me/cert.pem", "keyFile": "/home/me/key.pem"}]. The key file has to be yours and closed to others (chmod 600).',
    'Of the environment, HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are honoured, and shown.',
  ],
} as const satisfies CommandTable;
