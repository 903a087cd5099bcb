import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../support/home.js';
import { walkLogin } from '../support/product.js';
import { startProgram } from '../support/program.js';
import type { PlannedRun } from './plan.js';

/** One run of `postern`, whose authorization URLs are opened as they are printed. The exit code of the first that failed. */
export async function runWithBrowser(home: Home, run: PlannedRun): Promise<number> {
  const first = await runOnce(home, run);
  const { code, stdout } = run.obey === true ? await obey(home, run, first) : first;
  if (code !== 0) return code;
  for (const next of run.next?.(stdout) ?? []) {
    const failed = await runWithBrowser(home, next);
    if (failed !== 0) return failed;
  }
  return 0;
}

/** Types what the failure says, until that works: a person would agree to it. */
async function obey(home: Home, { input = '' }: PlannedRun, first: Awaited<ReturnType<typeof runOnce>>) {
  let last = first;
  for (let times = 0; times < 3 && (last.code === 3 || last.code === 2); times += 1) {
    const [, said = ''] = /postern (login [^\n]*?)\s*\n/.exec(last.stderr) ?? [];
    const words = said.split(' ');
    const needsNobody = ['--no-browser', '--client-credentials'].some((word) => words.includes(word));
    last = await runOnce(home, { args: needsNobody ? words : [...words, '--no-browser'], input });
  }
  return last;
}

async function runOnce(home: Home, run: PlannedRun) {
  if (run.file !== undefined) {
    await writeFile(join(home.path, run.file.name), run.file.text, { mode: 0o600 });
  }
  await using program = startProgram(home, run.args);
  program.stdin.end(run.input ?? '');
  const limit = setTimeout(() => program.kill('SIGKILL'), 40_000); // the suite waits for ever
  const opened = openEveryUrl(program);
  const { code, stdout, stderr } = await program.finished;
  clearTimeout(limit);
  tell(run, `${stdout}\n${stderr}\nexit ${code}\n${(await opened).join('\n')}`);
  return { code: code ?? 1, stdout, stderr };
}

/** Opens each authorization URL as it is printed, until the program ends. Says where each one led. */
async function openEveryUrl(program: ReturnType<typeof startProgram>): Promise<string[]> {
  const led: Promise<string>[] = [];
  for (let seen = 0; ; seen += 1) {
    const pattern = new RegExp(`(?:[^]*?\\b(https?://\\S+[?&]response_type=code\\S*)\\s){${seen + 1}}`);
    const match = await program.waitForStderr(pattern).catch(() => undefined);
    if (match?.[1] === undefined) return Promise.all(led);
    led.push(openUrl(match[1]));
  }
}

/** Stands where the person's browser would: opens the address and follows it back. Says where it led. */
export async function openUrl(url: string): Promise<string> {
  try {
    const { finalUrl, status } = await walkLogin(url, { signal: AbortSignal.timeout(30_000) });
    return `opened, and led to ${finalUrl.replace(/\?.*/, '')}, status ${status}`;
  } catch (error) {
    return `not opened: ${String(error)}`;
  }
}

function tell(run: PlannedRun, outcome: string): void {
  process.stdout.write(`$ postern ${run.args.join(' ')}\n${outcome}\n`);
}
