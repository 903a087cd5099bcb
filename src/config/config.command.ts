import type { Command, CommandOutput, CommandTable } from '../core/command.js';
import {
  type Configuration,
  type ConfigurationFile,
  environmentLines,
  type SetValue,
  setValues,
} from '../core/configuration/configuration.js';
import { type Setting, settings } from '../core/configuration/settings.js';
import { printable } from '../core/text/printable.js';

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

interface World extends CommandOutput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @throws Failure `configuration_unusable` */
  readonly configuration: () => Promise<Configuration>;
  /** The configuration file as it is, and the folder where it would be. @throws Failure `configuration_unusable` */
  readonly configurationFile: () => { readonly folder: string; readonly found: ConfigurationFile };
}

export const command: Command<typeof configTable, World> = {
  table: configTable,
  async run(world) {
    const { out, env } = world;
    const { folder, found } = world.configurationFile();
    const set = setValues(found, env);
    const configuration = await world.configuration();
    const path = `${folder}/config.json`;
    if (world.json) {
      await out.json({
        file: path,
        exists: found !== undefined,
        settings: settings.map((setting) => settingJson(setting, set.get(setting.key))),
        clients: configuration.clients,
        clientCertificates: configuration.clientCertificates,
      });
      return 0;
    }
    const lines = [
      `${path}${found === undefined ? '  (there is none)' : ''}`,
      ...settings.flatMap((setting) => ['', ...settingLines(setting, set.get(setting.key))]),
      ...listLines(configuration),
      ...environmentLines(env).flatMap((line) => ['', line]),
    ];
    await out.line(lines.map((line) => printable(line, 400)).join('\n'));
    return 0;
  },
};

const sources = { file: 'config.json', environment: 'the environment' } as const;

function settingLines(setting: Setting, set: SetValue | undefined): readonly string[] {
  const { key, fallback, takes, describe, variable, option } = setting;
  const value = set === undefined ? `${fallback}  (default)` : `${set.value}  (from ${sources[set.by]})`;
  const ways = [variable, ...(option === undefined ? [] : [option])].join(', ');
  return [`${key}: ${value}`, `  ${describe}`, `  takes ${takes}; or by ${ways}`];
}

function settingJson({ key, variable, option, fallback }: Setting, set: SetValue | undefined) {
  const { value = null, by = 'default' } = set ?? {};
  return { key, value, by, default: fallback, variable, option: option ?? null };
}

function listLines({ clients, clientCertificates }: Configuration): readonly string[] {
  return [
    ...clients.map(({ clientId, issuer }) => `clients: ${clientId} at ${issuer}`),
    ...clientCertificates.map(({ origins, certFile }) => `clientCertificates: ${certFile} for ${origins.join(', ')}`),
  ].flatMap((line) => ['', line]);
}
