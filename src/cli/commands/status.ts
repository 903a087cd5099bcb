import { loginNeeded } from '../../errors/token.js';
import { status } from '../../flows/status.js';
import { mendStrays } from '../../flows/strays.js';
import { originText } from '../../primitives/credential-target.js';
import { pickLogin } from '../../primitives/pick-login.js';
import { printable } from '../../primitives/printable.js';
import type { FormatFailure } from '../../primitives/records.js';
import type { Command, CommandContext } from '../command.js';
import { environmentLines } from '../words/environment-words.js';
import { failureJson, failureLine, howToSeeWhy } from '../words/failure-words.js';
import { clientKeyJson, clientKeyLines, leftoverLines } from '../words/key-words.js';
import { loginJson, loginLines } from '../words/login-words.js';
import { statusTable } from './status.table.js';

export const command: Command<typeof statusTable> = {
  table: statusTable,
  async run(context, args) {
    const { ports, out } = context;
    const all = await status(ports);
    const failures = await failuresOf(ports, args.server);
    const shown = args.server === undefined ? all : only(all, args.server);
    const { clientKeys = [] } = await ports.index.read();
    const keys = args.server === undefined ? clientKeys : [];
    const left = await mendStrays(ports, () => true, context.signal);
    if (context.options.json) {
      await out.json({
        logins: shown.map(loginJson),
        clientKeys: keys.map(clientKeyJson),
        failures: failures.map(failureJson),
      });
    } else {
      const now = ports.clock.now();
      const blocks = [
        ...shown.map((one) => loginLines(one, now)),
        ...keys.map(clientKeyLines),
        ...(failures.length === 0
          ? []
          : [[...failures.map((failure) => failureLine(failure, now)), howToSeeWhy]]),
      ];
      if (shown.length === 0) context.tell('No logins. Make one with: postern login <server>');
      if (blocks.length > 0) await out.line(blocks.map((lines) => lines.join('\n')).join('\n\n'));
    }
    for (const line of leftoverLines(left)) context.tell(line);
    for (const line of environmentLines(context.env)) context.tell(`Note: ${printable(line, 400)}`);
    return 0;
  },
};

/** What other programs asked for in vain; of one server, those of its origin. */
async function failuresOf(
  ports: CommandContext['ports'],
  server: string | undefined,
): Promise<readonly FormatFailure[]> {
  const failures = await ports.failures.read();
  if (server === undefined) {
    return failures;
  }
  const { logins } = await ports.index.read();
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
