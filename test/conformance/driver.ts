import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walkLogin } from '../../src/sandbox/walk.js';
import { makeHome } from '../support/home.js';
import { startProgram } from '../support/program.js';
import { type PlannedRun, planFor } from './plan.js';

/**
 * The client that the official suite starts, with the server's URL as its last argument: it runs
 * `postern` as a person would, in a home of its own, and stands where the person's browser would: it
 * opens the authorization URL that `--no-browser` prints and follows it back to our callback.
 * Exit code: that of the first run that failed.
 */
async function drive(): Promise<number> {
  const server = process.argv.at(-1) ?? '';
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const bus = process.env['DBUS_SESSION_BUS_ADDRESS'];
  await using home = await makeHome(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus });
  for (const run of planFor(scenario, server, context)) {
    if (run.file !== undefined)
      await writeFile(join(home.path, run.file.name), run.file.text, { mode: 0o600 });
    await using program = startProgram(home, run.args);
    program.stdin.end(run.input ?? '');
    const limit = setTimeout(() => program.kill('SIGKILL'), 40_000); // the suite waits for ever
    const opened = openEveryUrl(program);
    const { code, stdout, stderr } = await program.finished;
    clearTimeout(limit);
    tell(run, `${stdout}\n${stderr}\nexit ${code}\n${(await opened).join('\n')}`);
    if (code !== 0) return code ?? 1;
  }
  return 0;
}

/** Opens each authorization URL as it is printed, until the program ends. Says where each one led. */
async function openEveryUrl(program: ReturnType<typeof startProgram>): Promise<string[]> {
  const led: Promise<string>[] = [];
  for (let seen = 0; ; seen += 1) {
    const pattern = new RegExp(`(?:[^]*?\\b(https?://\\S+[?&]response_type=code\\S*)\\s){${seen + 1}}`);
    const match = await program.waitForStderr(pattern).catch(() => undefined);
    if (match?.[1] === undefined) return Promise.all(led);
    led.push(open(match[1]));
  }
}

async function open(url: string): Promise<string> {
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

process.exitCode = await drive();
