import { callTimedOut, toolFailed } from '../../errors/call.js';
import { call } from '../../flows/call/call.js';
import { findLoginOrServer } from '../../flows/find-login.js';
import type { Relogin } from '../../flows/request/authorized-sender.js';
import type { JsonObject } from '../../primitives/json.js';
import { type ProtocolCall, readCall } from '../call-arguments.js';
import type { Command, CommandContext } from '../command.js';
import { Deadline } from '../deadline.js';
import { findOrMakeLogin, reloginFor } from '../login-request.js';
import { withOwnLogin } from '../memory-option.js';
import { readWhole } from '../read-whole.js';
import type { ArgumentsOf } from '../table.js';
import { notificationLine } from '../words/notification-words.js';
import { resultText, serverText } from '../words/result-words.js';
import { callTable } from './call.table.js';

type Arguments = ArgumentsOf<typeof callTable>;

/** Most that `@file` or `-` may hold, in bytes. */
const largestInput = 32 * 1024 * 1024;

export const command: Command<typeof callTable> = {
  table: callTable,
  async run(context, args) {
    const { files } = context;
    const words = [...(args.method === undefined ? [] : [args.method]), ...args.arguments];
    const wanted = await readCall(words, {
      readFile: (path) => readWhole(files.read(path), path, largestInput),
      readStdin: () => readWhole(files.stdin(), 'stdin', largestInput),
    });
    const result = await perform(context, args, wanted);
    if (context.options.json) {
      await context.out.exact.json(result);
    } else {
      await context.out.exact.line(serverText(resultText(wanted.method, result), context.out.isTerminal));
    }
    if (wanted.method === 'tools/call' && result['isError'] === true) {
      throw toolFailed(String(wanted.params['name']));
    }
    return 0;
  },
};

async function perform(context: CommandContext, given: Arguments, wanted: ProtocolCall): Promise<JsonObject> {
  const { ports } = context;
  const args = withOwnLogin(given);
  const target = { server: args.server, account: args.account };
  const login = args.login
    ? await findOrMakeLogin(context, { ...args, ...target })
    : await findLoginOrServer(ports, target);
  using deadline = new Deadline(args.timeout * 1000, () => callTimedOut(wanted.method, args.timeout));
  return await call(ports, {
    ...wanted,
    login,
    relogin: outsideTheDeadline(reloginFor(context, args), deadline),
    policy: args.elicitation ?? (ports.terminal.interactive ? 'ask' : 'decline'),
    notify: (method, params) => {
      context.tell(notificationLine(method, params));
      return context.told();
    },
    signal: AbortSignal.any([context.signal, deadline.signal]),
  });
}

/** The time that a person takes to log in does not count as the server's. */
function outsideTheDeadline(relogin: Relogin | undefined, deadline: Deadline): Relogin | undefined {
  return (
    relogin &&
    (async (login, scopes, begin) => {
      deadline.stop();
      const better = await relogin(login, scopes, begin);
      deadline.restart();
      return better;
    })
  );
}
