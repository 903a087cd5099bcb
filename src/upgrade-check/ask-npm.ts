import type { ProgramCommand, ProgramEnd } from '../stores/run-program.js';
import { npmFailed, npmMissing, npmSaysNothing, npmSilent } from './failures.js';
import { npmErrorCode, type Published, readPublished } from './published.js';

/** This machine, as far as npm is found and run on it. */
export interface NpmWorld {
  readonly platform: string;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where that command is on the PATH. */
  find(command: string): string | undefined;
  run(command: ProgramCommand): Promise<ProgramEnd>;
  fileExists(path: string): boolean;
}

const limitMs = 30_000;

/** One try: the person waits, and can ask again. */
const npmOptions = ['--json', '--fetch-retries=0', '--fetch-timeout=20000', '--logs-max=0', '--no-update-notifier'];

/**
 * Asks the person's own npm for a package: with their registry, their proxy, their certificates. It runs in the home
 * folder, so that a `.npmrc` of a project names no other registry.
 * @returns undefined where nobody has published it
 * @throws Failure `npm_not_found`, `npm_failed`, `npm_unusable`, or the signal's reason
 */
export async function askNpm(
  world: NpmWorld,
  { name, version }: { readonly name: string; readonly version: string },
  signal: AbortSignal,
): Promise<Published | undefined> {
  const npm = npmCommand(world);
  if (npm === undefined) throw npmMissing();
  const command = [...npm, 'view', name, 'name', 'dist-tags', 'repository', 'engines', ...npmOptions];
  const env = forNpm(world.env);
  const end = await world.run({ command, env, folder: world.homedir, input: 'closed', limitMs, signal });
  if (end.kind === 'not_started') throw npmFailed(end.error.code ?? end.error.name);
  if (end.kind !== 'ended') throw end.kind === 'timeout' ? npmSilent(limitMs) : npmSaysNothing();
  if (end.code !== 0) {
    const code = npmErrorCode(end.stdout, end.stderr);
    if (code === 'E404') return undefined;
    throw npmFailed(code ?? (end.code === null ? `killed by ${end.killedBy}` : `exit code ${end.code}`));
  }
  const published = readPublished(end.stdout, version);
  if (published === undefined) throw npmSaysNothing();
  return published;
}

/**
 * The words that start npm, without a shell. On Windows npm is a batch file, which only a shell can run: what it would
 * start is started directly, as it does it itself, with the node.exe in its folder or on the PATH.
 */
export function npmCommand(world: Pick<NpmWorld, 'platform' | 'find' | 'fileExists'>): readonly string[] | undefined {
  const found = world.find('npm');
  if (found === undefined || world.platform !== 'win32') return found === undefined ? undefined : [found];
  const folder = found.replace(/[^\\/]*$/, '');
  const script = `${folder}node_modules\\npm\\bin\\npm-cli.js`;
  const own = `${folder}node.exe`;
  const node = world.fileExists(own) ? own : world.find('node');
  if (node === undefined || !/\.exe$/i.test(node)) return undefined;
  return world.fileExists(script) ? [node, script] : undefined;
}

/** What npm has no use for: our own variables, among which a secret may be. */
function forNpm(env: NpmWorld['env']): NpmWorld['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^POSTERN_/i.test(name)));
}
