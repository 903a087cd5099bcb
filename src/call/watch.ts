import type { CommandExit } from '../core/command.js';
import { exitCode, Failure, ignoreFailure, isFailure } from '../core/failure.js';
import { interrupted } from '../core/failures.js';
import type { LoginRecord } from '../core/records.js';
import { asObject, type JsonObject } from '../core/text/json.js';
import { printable, quoted } from '../core/text/printable.js';
import { Deadline } from '../core/time.js';
import { acknowledged, textsIn } from '../mcp/eras.js';
import type { StreamEnd } from '../mcp/streams.js';
import { withOwnLogin } from '../stores/own-login.js';
import type { OpenServer } from '../tokens/find-login.js';
import type { Conversation } from './conversation.js';
import { createConversation, type LocalServer, programOf } from './create-conversation.js';
import { callTimedOut, nothingToWatch, peerSilent } from './failures.js';
import { asTyped, type CallerArguments, type CallerWorld, findServer } from './find-server.js';
import { timedLine } from './render.js';

/** How long is waited before a session is opened again, and how long one lives that was no failure. In milliseconds. */
const firstWaitMs = 1_000;

const longestWaitMs = 60_000;

const healthyMs = 30_000;

/** How long a server may take for a ping. */
const longestPingSeconds = 15;

interface WatchArguments extends CallerArguments {
  /** Between two pings, in seconds. */
  readonly ping: number;
}

/**
 * Prints each notification of the server as one line, until the program is to end. A stream that breaks is resumed after
 * its last event; a session that is lost is opened again.
 * @param uris Resources to subscribe to.
 * @throws Failure `nothing_to_watch`, `server_ended`, as `findServer`, as `Conversation.request` before anything was open
 */
export async function watch(world: CallerWorld, args: WatchArguments, uris: readonly string[]): Promise<CommandExit> {
  const { clock, signal } = world;
  const server = await findServer(world, args, 'call');
  await using _program = programOf(server);
  let wait = firstWaitMs;
  let wasOpen = false;
  try {
    for (;;) {
      const began = clock.monotonic();
      const end = await watchOnce(world, args, { server, uris, again: wasOpen }).catch((error: unknown) => {
        if (!wasOpen || !isPassing(error)) throw error;
        return { wasOpen: true, error };
      });
      signal.throwIfAborted();
      if (!end.wasOpen) throw nothingToWatch(server.server, end.error);
      wasOpen = true;
      if ('program' in server || !isPassing(end.error)) throw end.error;
      wait = clock.monotonic() - began > healthyMs ? firstWaitMs : Math.min(wait * 2, longestWaitMs);
      world.tell(`The connection was lost${reasonOf(end.error)}; it is opened again.`);
      await clock.sleep(wait, signal);
    }
  } catch (error) {
    if (signal.aborted) return exitCode.interrupted;
    throw error;
  }
}

interface Watched {
  readonly server: LoginRecord | OpenServer | LocalServer;
  readonly uris: readonly string[];
  /** Whether there was a session before. */
  readonly again: boolean;
}

/** One session, to the end of its stream. */
async function watchOnce(world: CallerWorld, args: WatchArguments, watched: Watched): Promise<StreamEnd> {
  const { server, uris, again } = watched;
  const logins = await world.logins();
  using deadline = new Deadline(args.timeout * 1000, () => callTimedOut('initialize', args.timeout));
  const silence = new AbortController();
  const signal = AbortSignal.any([world.signal, deadline.signal, silence.signal]);
  let wasOpen = false;
  const open = () => {
    wasOpen = true;
    deadline[Symbol.dispose](); // a question later on does not begin it again
    world.tell(again ? 'Watching again.' : `Watching ${printable(args.server ?? server.server, 200)}; Ctrl-C ends it.`);
  };
  await using conversation = await createConversation(world, {
    login: server,
    relogin: logins.relogin(withOwnLogin(args)),
    deadline,
    ...asTyped(world, args),
    follows: true,
    meter: undefined,
    notify: (method, params) => {
      if (method !== acknowledged) return print(world, method, params);
      for (const line of notGiven(uris, params)) world.tell(line);
      return open();
    },
    tell: world.tell,
    signal,
    tokensUntil: world.signal,
  });
  const { capabilities } = await conversation.describe();
  if (asObject(capabilities)?.['logging'] !== undefined && !conversation.isNewer) {
    await conversation.request('logging/setLevel', { level: 'info' }).catch(ignoreFailure);
  }
  let { over } = conversation;
  if (conversation.isNewer) {
    over = subscribed(conversation, uris, signal).then((error) => ({ wasOpen, error }));
  } else {
    for (const uri of uris) await conversation.request('resources/subscribe', { uri });
    open();
  }
  const ended = over.finally(() => silence.abort(interrupted()));
  const dead = await Promise.race([
    ended.then(() => undefined),
    silent(world, conversation, { ...args, server: server.server, signal }),
  ]);
  if (dead === undefined) return await over;
  silence.abort(dead); // whoever does not answer is not told goodbye
  return { wasOpen: true, error: dead };
}

/**
 * Asks the server again and again whether it is there; whatever it answers, it is. Resolves to why it is not; to nothing
 * at the signal.
 */
async function silent(
  { clock }: CallerWorld,
  conversation: Conversation,
  { ping, server, signal }: Pick<WatchArguments, 'ping'> & { readonly server: string; readonly signal: AbortSignal },
): Promise<Failure | undefined> {
  const seconds = Math.min(ping, longestPingSeconds);
  for (;;) {
    await clock.sleep(ping * 1000, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    using limit = new Deadline(seconds * 1000, () => peerSilent(server, seconds));
    // The newer era has no ping; every server of it tells what it is.
    const method = conversation.isNewer ? 'server/discover' : 'ping';
    const error = await conversation.request(method, {}, limit.signal).catch((failed: unknown) => failed);
    if (error instanceof Failure && error.exit === exitCode.network && !signal.aborted) return error;
  }
}

/** Whether another try may do better, without a person. */
function isPassing(error: unknown): boolean {
  if (error === undefined) return true;
  return (
    isFailure(error, 'http_failed', 'session_lost') || (error instanceof Failure && error.exit === exitCode.network)
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Failure ? ` (${error.message.replace(/\.$/, '')})` : '';
}

async function print({ json, out, look, clock }: CallerWorld, method: string, params: JsonObject): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  if (json) {
    await out.exact.json({ time, method, params });
    return;
  }
  await out.line(timedLine({ look, clock }, method, params));
}

/**
 * Follows all that a server of the newer era tells by itself, and those resources (basic/patterns/subscriptions). Resolves
 * once it tells no more, to why; to nothing where it ended well or its stream broke.
 * @throws the signal's reason
 */
async function subscribed(conversation: Conversation, uris: readonly string[], signal: AbortSignal): Promise<unknown> {
  const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const notifications = { ...wanted, ...(uris.length > 0 && { resourceSubscriptions: [...uris] }) };
  try {
    await conversation.request('subscriptions/listen', { notifications });
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    if (isFailure(error, 'protocol_broken')) return undefined; // the stream broke
    return error;
  }
}

/** Lines on what was asked for and is not given. */
function notGiven(uris: readonly string[], { notifications }: JsonObject): readonly string[] {
  const given = asObject(notifications) ?? {};
  const followed = textsIn(given['resourceSubscriptions']);
  const missing = uris.filter((uri) => !followed.includes(uri));
  const tellsNothing = followed.length === 0 && !Object.values(given).includes(true);
  return [
    ...missing.map((uri) => `The server does not tell when ${quoted(uri, 200)} changes.`),
    ...(tellsNothing ? ['The server has agreed to tell nothing of what was asked for.'] : []),
  ];
}
