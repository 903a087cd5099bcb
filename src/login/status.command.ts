import type { Command, CommandOutput, CommandTable } from '../core/command.js';
import { environmentLines } from '../core/configuration/configuration.js';
import type { FormatFailure } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { removeOrphans } from '../stores/orphans.js';
import { originText } from '../tokens/credential-target.js';
import { loginNeeded } from '../tokens/failures.js';
import { pickLogin } from '../tokens/find-login.js';
import type { LoginPorts } from './ports.js';
import { clientKeyJson, clientKeyLines, inWords, loginJson, loginLines, orphanLines, status } from './render.js';

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
  async run(world, args) {
    const { out } = world;
    const all = await status(world);
    const failures = await failuresOf(world, args.server);
    const shown = args.server === undefined ? all : only(all, args.server);
    const { clientKeys = [] } = await world.index.read();
    const keys = args.server === undefined ? clientKeys : [];
    const left = await removeOrphans(world, () => true, world.signal);
    if (world.json) {
      await out.json({
        logins: shown.map(loginJson),
        clientKeys: keys.map(clientKeyJson),
        failures: failures.map(failureJson),
      });
    } else {
      const now = world.clock.now();
      const blocks = [
        ...shown.map((one) => loginLines(one, now)),
        ...keys.map(clientKeyLines),
        ...(failures.length === 0 ? [] : [[...failures.map((failure) => failureLine(failure, now)), howToSeeWhy]]),
      ];
      if (shown.length === 0) world.tell('No logins. Make one with: postern login <server>');
      if (blocks.length > 0) await out.line(blocks.map((lines) => lines.join('\n')).join('\n\n'));
    }
    for (const line of orphanLines(left)) world.tell(line);
    for (const line of environmentLines(world.env)) world.tell(`Note: ${printable(line, 400)}`);
    return 0;
  },
};

/** What other programs asked for in vain; of one server, those of its origin. */
async function failuresOf(
  { failures: log, index }: Pick<World, 'failures' | 'index'>,
  server: string | undefined,
): Promise<readonly FormatFailure[]> {
  const failures = await log.read();
  if (server === undefined) return failures;
  const { logins } = await index.read();
  const picked = pickLogin(logins, { server, account: undefined });
  const [login] = picked.kind === 'one' ? [picked.login] : picked.kind === 'several' ? picked.logins : [];
  return failures.filter(({ origin }) => origin !== '' && origin === originText(login?.server ?? server));
}

function only<Status extends { readonly login: Parameters<typeof pickLogin>[0][number] }>(
  all: readonly Status[],
  server: string,
): readonly Status[] {
  const candidates = all.map((one) => ({ ...one.login, one }));
  const picked = pickLogin(candidates, { server, account: undefined });
  switch (picked.kind) {
    case 'one':
      return candidates.filter(({ server: other }) => other === picked.login.server).map(({ one }) => one);
    case 'several':
      return picked.logins.map(({ one }) => one);
    case 'none':
      throw loginNeeded({ server });
  }
}

/** Such programs mostly hide what they are told. */
export const howToSeeWhy =
  '  to see why  postern setup --check, which runs what these programs run; or type that command yourself';

/** What another program asked for in vain, in a line. `now` in milliseconds since 1970. */
export function failureLine({ at, format, origin, code }: FormatFailure, now: number): string {
  const where = origin === '' ? '' : ` for ${origin}`;
  const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
  const line = `Asked in vain: postern credential ${format}${where}, ${when}: ${code}`;
  return printable(line, 600);
}

export function failureJson({ at, format, origin, code }: FormatFailure): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), format, origin: origin === '' ? null : origin, code };
}
