import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

export function readTopic(name: string): Topic {
  const [title = '', ...lines] = textOf(name).split('\n');
  return { name, summary: title.replace('# ', ''), text: lines.join('\n') };
}

/** Beside the bundle; the compiled sources lie two folders below the repository. */
function textOf(name: string): string {
  const { getAsset, isSea } = process.getBuiltinModule('node:sea');
  const file = `topics/${name}.md`;
  if (isSea()) return getAsset(file, 'utf8');
  const built = join(import.meta.dirname, file);
  return readFileSync(existsSync(built) ? built : join(import.meta.dirname, '../../../../src/app/help', file), 'utf8');
}
