import type { Command } from '../core/command.js';
import { type Configuration, environmentLines, type SetValue, setValues } from '../core/configuration/configuration.js';
import { type Setting, settings } from '../core/configuration/settings.js';
import { usageWrong, wordMissing } from '../core/failures.js';
import { defaultLimits } from '../core/limits.js';
import { fitted, inColumnsOrStacked, readerLook, wrapped } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { printable } from '../core/text/printable.js';
import { below } from '../core/text/system.js';
import { type ConfigWorld, change, edit, settingNamed } from './change.js';
import { configTable } from './config.options.js';

interface World extends ConfigWorld {
  /** @throws Failure `configuration_unusable` */
  readonly configuration: () => Promise<Configuration>;
}

export const command: Command<typeof configTable, World> = {
  table: configTable,
  async run(world, args) {
    const { action, key, value } = args;
    if (action === undefined) return showAll(world);
    const extra = action === 'set' ? undefined : action === 'edit' || action === 'path' ? (key ?? value) : value;
    if (extra !== undefined) throw usageWrong(`postern config ${action} takes fewer words.`, 'postern config --help');
    switch (action) {
      case 'path':
        return showPath(world);
      case 'edit':
        await edit(world);
        return world.json ? showPath(world) : 0;
      case 'get':
        return showOne(world, settingNamed(key));
      case 'unset':
        await change(world, settingNamed(key), undefined);
        return showOne(world, settingNamed(key));
      case 'set':
        if (value === undefined)
          throw wordMissing(
            'postern config set needs a key and a value.',
            'config',
            'postern config set timeoutSeconds 60',
          );
        await change(world, settingNamed(key), value);
        return showOne(world, settingNamed(key));
    }
  },
};

/** The value alone, so that it can be used; nothing where there is none. */
async function showOne(world: World, setting: Setting): Promise<0> {
  const { folder, found } = world.configurationFile();
  const { value = null, by = 'default' } = setValues(found, world.env).get(setting.key) ?? {};
  if (world.json) await world.out.json({ key: setting.key, value, by, file: below(folder, 'config.json') });
  else if (value !== null) await world.out.line(printable(String(value), 2_000));
  else world.tell(`${setting.key} is not set: ${setting.fallback}`);
  return 0;
}

async function showPath(world: World): Promise<0> {
  const { folder, found } = world.configurationFile();
  const file = below(folder, 'config.json');
  if (world.json) await world.out.json({ file, exists: found !== undefined });
  else await world.out.line(printable(file, 2_000));
  return 0;
}

/** What anybody needs first, then the limits. */
async function showAll(world: World): Promise<0> {
  const { out, env } = world;
  const { folder, found } = world.configurationFile();
  const set = setValues(found, env);
  const configuration = await world.configuration();
  const path = below(folder, 'config.json');
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
  const usual = settings.filter(({ key }) => !(key in defaultLimits));
  const limits = settings.filter(({ key }) => key in defaultLimits);
  const look = readerLook(world);
  const fit = (line: string) => fitted(printable(line, 400), look.width).map((one) => lineToned(look, one));
  const shown = [
    ...fit(`${path}${found === undefined ? '  (there is none)' : ''}`),
    '',
    ...settingLines(look, usual, set),
    '',
    ...waysToChange(look, usual),
    ...listLines(configuration).flatMap(fit),
    '',
    toned(look, 'strong', 'Limits, which few people change'),
    ...wrapped('Each by its key, or by a variable: connectSeconds is POSTERN_CONNECT_SECONDS.', look.width),
    '',
    ...settingLines(look, limits, set),
    ...environmentLines(env).flatMap((line) => ['', ...fitted(printable(line, 400), look.width)]),
  ];
  await out.line(shown.join('\n'));
  return 0;
}

/** Keys, and what is a default, are told apart by tones, too. */
function lineToned(look: Look, line: string): string {
  const [, key = '', value = ''] = /^(\w+):(.*)$/.exec(line) ?? [];
  if (key !== '')
    return `${toned(look, 'name', key)}:${value.replace(/\(default\)$/, (text) => toned(look, 'dim', text))}`;
  return line.startsWith('  ') ? toned(look, 'dim', line) : line;
}

const sources = { file: 'config.json', environment: 'the environment' } as const;

/** One line each where there is room: the key and its value, what it is for, and what it takes. */
function settingLines(look: Look, shown: readonly Setting[], set: ReadonlyMap<string, SetValue>): readonly string[] {
  const rows = shown.map(({ key, fallback, describe, takes }) => {
    const one = set.get(key);
    const value = one === undefined ? fallback : `${one.value} (from ${sources[one.by]})`;
    return [printable(`${key}: ${value}`, 400), `${describe.replace(/^limit /, '')} (${takes})`];
  });
  return inColumnsOrStacked(look, rows).map((line) => settingToned(look, line));
}

function settingToned(look: Look, line: string): string {
  const [, label = '', text = ''] = /^(\w+: .*?(?= {2}|$))?(.*)$/.exec(line) ?? [];
  return lineToned(look, label) + toned(look, 'dim', text);
}

function waysToChange(look: Look, shown: readonly Setting[]): readonly string[] {
  const variables = shown.map(({ variable }) => variable).join(', ');
  const options = shown.flatMap(({ option }) => option?.replace(/^login /, '') ?? []).join(', ');
  return [
    ...fitted('To change one: postern config set KEY VALUE', look.width),
    ...wrapped(`By variables: ${variables}`, look.width),
    ...wrapped(`For one login: ${options}`, look.width),
  ];
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
