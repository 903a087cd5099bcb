import { requestFailed, requestTimedOut } from '../../errors/call.js';
import { findLogin } from '../../flows/find-login.js';
import { createAuthorizedSender } from '../../flows/request/authorized-sender.js';
import { readWords } from '../../flows/request/read-words.js';
import { mediaTypeIs } from '../../primitives/media-type.js';
import type { OutboundResponse } from '../../primitives/outbound.js';
import type { Command, CommandContext } from '../command.js';
import { Deadline } from '../deadline.js';
import { findOrMakeLogin, reloginFor } from '../login-request.js';
import { withOwnLogin } from '../memory-option.js';
import { readRequest } from '../request-arguments.js';
import type { ArgumentsOf } from '../table.js';
import { serverText } from '../words/result-words.js';
import { requestTable } from './request.table.js';

type Arguments = ArgumentsOf<typeof requestTable>;

/** Longest wait for the headers of an answer; its body may take as long as it likes without `--timeout`. */
const headersMs = 60_000;
const longestTimeoutSeconds = 86_400;

export const command: Command<typeof requestTable> = {
  table: requestTable,
  async run(context, given) {
    const { ports } = context;
    const args = withOwnLogin(given);
    // First, so that nobody is sent to a login by words that are wrong.
    const wanted = await readRequest(context.files, args);
    const target = { server: args.url, account: args.account };
    const login = args.login
      ? await findOrMakeLogin(context, { ...args, ...target })
      : await findLogin(ports, target);
    const seconds = args.timeout ?? longestTimeoutSeconds;
    using deadline = new Deadline(seconds * 1000, () => requestTimedOut(args.url, seconds));
    const signal = AbortSignal.any([context.signal, deadline.signal]);
    const sender = createAuthorizedSender(ports, { login, relogin: reloginFor(context, args), signal });
    await using response = await sender.send({
      ...wanted,
      url: args.url,
      limits: { of: 'answer', totalMs: null, headersMs, maxBytes: null },
      signal,
    });
    if (args.fail && response.status >= 400) {
      throw requestFailed(args.url, response.status, await readWords(ports.clock, response));
    }
    await print(context, args, response);
    return 0;
  },
};

async function print(context: CommandContext, args: Arguments, response: OutboundResponse): Promise<void> {
  const { out, files } = context;
  if (args.include) {
    const lines = [
      `HTTP ${response.status}`,
      ...response.headers.map(([name, value]) => `${name}: ${value}`),
      '',
    ];
    await out.write(`${serverText(lines.join('\n'), out.isTerminal)}\n`);
  }
  if (args.output !== undefined) {
    await files.write(args.output, response.body);
    return;
  }
  if (!out.isTerminal) {
    for await (const chunk of response.body) {
      await out.write(chunk);
    }
    return;
  }
  await printForPerson(context, response);
}

/** On a terminal the body is made harmless piece by piece, as it comes. */
async function printForPerson(context: CommandContext, response: OutboundResponse): Promise<void> {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1];
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const chunk of response.body) {
    const text = decoder.decode(chunk, { stream: true });
    last = text === '' ? last : text.slice(-1);
    await context.out.write(serverText(text, true));
  }
  await context.out.write(serverText(decoder.decode(), true));
  if (last !== '\n' && !mediaTypeIs(type, 'application/octet-stream')) {
    await context.out.write('\n');
  }
}
