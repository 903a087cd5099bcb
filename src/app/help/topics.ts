import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandTable } from '../../core/command.js';
import { settings } from '../../core/configuration/settings.js';

/** The topics of `postern help`, in the order of `postern --help`: each is `topics/NAME.md`. */
export const topicNames: readonly string[] = [
  'logging-in',
  'clients',
  'scripts',
  'machines',
  'company',
  'fleet',
  'hosts',
  'credential-helpers',
  'stores',
  'security',
  'limits',
  'environment',
  'proxies',
  'diagnosis',
  'findings',
  'testing',
  'json',
  'exit-codes',
];

/** A chapter of the long reference. */
export interface Topic {
  readonly name: string;
  /** One line for a list of topics. */
  readonly summary: string;
  /** Markdown (blocks.ts). */
  readonly text: string;
}

/** Reads a topic. @param tables Their options' variables are listed in `environment`. */
export function readTopic(name: string, tables: readonly CommandTable[] = []): Topic {
  const [title = '', ...lines] = textOf(name).split('\n');
  const text = lines.join('\n').replace(/<!-- (settings|options) -->/g, (_, list) => listOf(list, tables));
  return { name, summary: title.replace('# ', ''), text };
}

/** Beside the bundle; the compiled sources lie two folders below the repository. */
function textOf(name: string): string {
  const { getAsset, isSea } = process.getBuiltinModule('node:sea');
  const file = `topics/${name}.md`;
  if (isSea()) return getAsset(file, 'utf8');
  const built = join(import.meta.dirname, file);
  return readFileSync(existsSync(built) ? built : join(import.meta.dirname, '../../../../src/app/help', file), 'utf8');
}

/** The lists of `environment` that the tables hold. */
function listOf(list: string, tables: readonly CommandTable[]): string {
  const rows =
    list === 'settings'
      ? settings
          .filter(({ describe }) => !describe.startsWith('limit '))
          .map(({ variable, key, describe, takes }) => [variable, `${describe}; ${takes} (\`${key}\` in config.json)`])
      : [...optionsByVariable(tables)].map(([variable, options]) => [variable, options.join(', ')]);
  return rows.map(([variable, text]) => `- **${variable}**: ${text}`).join('\n');
}

function optionsByVariable(tables: readonly CommandTable[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name, options } of tables) {
    for (const { env, name: option } of options) {
      if (env === undefined || settings.some(({ variable }) => variable === env)) continue;
      found.set(env, [...(found.get(env) ?? []), `\`${name} --${option}\``]);
    }
  }
  return found;
}
