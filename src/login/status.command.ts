import type { Command, CommandOutput, CommandTable } from '../core/command.js';
import { environmentLines } from '../core/configuration/configuration.js';
import type { FormatFailure, LoginRecord } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { removeOrphans } from '../stores/orphans.js';
import { originText } from '../tokens/credential-target.js';
import { loginNeeded } from '../tokens/failures.js';
import { pickLogin } from '../tokens/find-login.js';
import type { LoginPorts } from './ports.js';
import { clientKeyJson, clientKeyLines, inWords, loginJson, loginLines, loginStatus, orphanLines } from './render.js';

export const statusTable = {
  name: 'status',
  summary: 'show every login: server, account, scopes, until when, what is wrong',
  positionals: [
    { name: 'server', describe: 'the server’s URL, or the name of a login; every login without', required: false },
  ],
  options: [],
  notes: [
    'Secrets are neither read nor shown, and no server is asked. What a killed or failed login or logout has left in a store is removed.',
  ],
} as const satisfies CommandTable;

interface World
  extends CommandOutput,
    Pick<LoginPorts, 'index' | 'stores' | 'recovery' | 'failures' | 'locks' | 'clock'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const command: Command<typeof statusTable, World> = {
  table: statusTable,
  async run(world, { server }) {
    const { out, tell } = world;
    const { logins, clientKeys = [] } = await world.index.read();
    const shown = server === undefined ? logins : loginsMeant(logins, server);
    const keys = server === undefined ? clientKeys : [];
    const origin = server === undefined ? undefined : originText(shown[0]?.server ?? server);
    const failures = (await world.failures.read()).filter((one) => origin === undefined || one.origin === origin);
    const kept = await removeOrphans(world, () => true, world.signal);
    const now = world.clock.now();
    const states = shown.map((login) => loginStatus(login, now));
    if (world.json) {
      const failed = failures.map(failureJson);
      await out.json({ logins: states.map(loginJson), clientKeys: keys.map(clientKeyJson), failures: failed });
    } else {
      const blocks = [
        ...states.map((one) => loginLines(one, now)),
        ...keys.map(clientKeyLines),
        ...(failures.length === 0 ? [] : [[...failures.map((failure) => failureLine(failure, now)), howToSeeWhy]]),
      ];
      if (shown.length === 0) tell('No logins. Make one with: postern login <server>');
      if (blocks.length > 0) await out.line(blocks.map((lines) => lines.join('\n')).join('\n\n'));
    }
    for (const line of orphanLines(kept)) tell(line);
    for (const line of environmentLines(world.env)) tell(`Note: ${printable(line, 400)}`);
    return 0;
  },
};

/** All of one server, where that is what was named. @throws Failure `login_needed` */
function loginsMeant(logins: readonly LoginRecord[], server: string): readonly LoginRecord[] {
  const picked = pickLogin(logins, { server, account: undefined });
  if (picked.kind === 'none') throw loginNeeded({ server });
  return picked.kind === 'several' ? picked.logins : logins.filter((other) => other.server === picked.login.server);
}

/** Such programs mostly hide what we print. */
const howToSeeWhy =
  '  to see why  postern setup --check, which runs what these programs run; or type that command yourself';

/** What another program asked for in vain, in a line. `now` in milliseconds since 1970. */
function failureLine({ at, format, origin, code }: FormatFailure, now: number): string {
  const where = origin === '' ? '' : ` for ${origin}`;
  const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
  return printable(`Asked in vain: postern credential ${format}${where}, ${when}: ${code}`, 600);
}

function failureJson({ at, format, origin, code }: FormatFailure): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), format, origin: origin === '' ? null : origin, code };
}
