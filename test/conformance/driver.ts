import { makeHome } from '../support/home.js';
import { runWithBrowser } from './driver-parts.js';
import { planFor } from './plan.js';

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
    const code = await runWithBrowser(home, run);
    if (code !== 0) return code;
  }
  return 0;
}

process.exitCode = await drive();
