import { printable } from '../../primitives/printable.js';
import type { Command } from '../command.js';
import { type Configuration, type SetValue, setValues } from '../configuration.js';
import { type Setting, settings } from '../settings.js';
import { environmentLines } from '../words/environment-words.js';
import { configTable } from './config.table.js';

export const command: Command<typeof configTable> = {
  table: configTable,
  async run(context) {
    const { out, env } = context;
    const { folder, found } = context.configurationFile();
    const set = setValues(found, env);
    const configuration = await context.configuration();
    const path = `${folder}/config.json`;
    if (context.options.json) {
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

const places = { file: 'config.json', environment: 'the environment' } as const;

function settingLines(setting: Setting, set: SetValue | undefined): readonly string[] {
  const { key, fallback, takes, describe, variable, option } = setting;
  const value = set === undefined ? `${fallback}  (default)` : `${set.value}  (from ${places[set.by]})`;
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
    ...clientCertificates.map(
      ({ origins, certFile }) => `clientCertificates: ${certFile} for ${origins.join(', ')}`,
    ),
  ].flatMap((line) => ['', line]);
}
