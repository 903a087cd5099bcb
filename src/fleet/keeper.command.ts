import type { ArgumentsOf, Command, CommandOutput } from '../core/command.js';
import type { Configuration } from '../core/configuration/configuration.js';
import { readStoreOption } from '../core/configuration/settings.js';
import { ignoreFailure, isFailure } from '../core/failure.js';
import type { Signals } from '../core/ports.js';
import { isSharedKind, type LoginRecord, type SharedKind, type StoreKind } from '../core/records.js';
import { counted, printable } from '../core/text/printable.js';
import { splitUrl } from '../core/url.js';
import type { StorePorts } from '../stores/ports.js';
import { findLogin } from '../tokens/find-login.js';
import type { TokenPorts } from '../tokens/read-credential.js';
import { validToken } from '../tokens/valid-token.js';
import { createElection } from './election.js';
import { parseEngineAddress } from './engine/address.js';
import type { SharedEngine } from './engine/redis.js';
import { listenRefused } from './failures.js';
import { Keeper } from './keeper.js';
import { keeperTable } from './keeper.options.js';
import type { FleetLogins, FleetPorts, KeeperEvent, KeptLogin, Lead, ListenLocally } from './ports.js';
import { eventJson, eventLine } from './render.js';
import { openStatusPage } from './status-page.js';

interface World extends TokenPorts, CommandOutput, FleetPorts {
  readonly configuration: () => Promise<Pick<Configuration, 'store'>>;
  readonly signals: Signals;
  readonly listenLocally: ListenLocally;
  /** What other keepers call this one, e.g. `host-a (process 7)`. */
  readonly processName: () => string;
  readonly randomId: () => string;
}

type Arguments = ArgumentsOf<typeof keeperTable>;

const help = 'postern keeper --help';

export const command: Command<typeof keeperTable, World> = {
  table: keeperTable,
  async run(world, args) {
    const where = whereOf(args);
    const store = await storeOf(world, args);
    const meant = await Promise.all(args.login.map((server) => findLogin(world, { server, account: undefined })));
    const isMeant = ({ key }: LoginRecord) => meant.length === 0 || meant.some((login) => login.key === key);
    let kept: Keeper | undefined;
    const tell = teller(world, (event) => {
      if (event.event === 'store_failed' || event.event === 'store_back') kept?.noteStore(event.event === 'store_back');
    });
    await using engine = store !== undefined && isSharedKind(store) ? await world.openEngine(store) : undefined;
    const lead = engine === undefined ? leadAlone : await electionAt(world, engine, store as SharedKind, tell);
    const logins = createFleetLogins(world, store, isMeant);
    if (world.out.isTerminal && !world.json) await tellWhatIsKept(world, logins);
    const keeper = new Keeper({
      logins,
      lead,
      clock: world.clock,
      tell,
      aheadMs: args.ahead * 1000,
      random: Math.random,
    });
    kept = keeper;
    const stop = new AbortController();
    using _taken = world.signals.take(() => {
      if (stop.signal.aborted) return false; // the second one ends it at once
      stop.abort();
      return true;
    });
    const { clock, signal } = world;
    await using page =
      where && (await openStatusPage(() => keeper.view(), { clock, listen: world.listenLocally, where }));
    const at = where && 'socket' in where ? where.socket : page && `${page.origin}/metrics`;
    tell({ event: 'started', metrics: at ?? null, store: store ?? null });
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    await keeper.run(stop.signal, signal);
    signal.throwIfAborted();
    tell({ event: 'ended' });
    return 0;
  },
};

/** For a terminal: how many logins it keeps, and how to end it. A store that is away is reported later. */
async function tellWhatIsKept({ tell, signal }: World, logins: FleetLogins): Promise<void> {
  const listed = (await logins.list(signal).catch(ignoreFailure)) ?? [];
  const kept = listed.filter(({ state }) => state === 'kept').length;
  const what =
    kept === 0
      ? 'No login to keep fresh yet; it takes up those that are made.'
      : `${counted(kept, 'login')} to keep fresh.`;
  tell(`${what} Ctrl-C ends it.`);
}

type Where = { readonly port: number } | { readonly socket: string };

/** @throws Failure `usage` */
function whereOf({ listen, socket }: Arguments): Where | undefined {
  if (socket !== undefined) return { socket };
  if (listen === undefined) return undefined;
  const [, port] = /^127\.0\.0\.1:(\d{1,5})$/.exec(listen) ?? [];
  if (port === undefined || Number(port) > 65_535) throw listenRefused();
  return { port: Number(port) };
}

/** Undefined: every login of this person. */
async function storeOf(world: World, args: Arguments): Promise<StoreKind | undefined> {
  if (args.store !== undefined) return readStoreOption(args.store, '--store', help);
  const { store } = await world.configuration();
  return store !== undefined && isSharedKind(store) ? store : undefined;
}

/** Logins of this machine alone have its locks, and need no election. */
const leadAlone: Lead = async () => ({
  isHeld: () => true,
  lost: new AbortController().signal,
  release: async () => undefined,
});

/** @throws Failure `store_denied`, `store_read_only`, of the key files */
async function electionAt(
  world: World,
  engine: SharedEngine,
  store: SharedKind,
  tell: (event: KeeperEvent) => void,
): Promise<Lead> {
  try {
    // A keeper that can't refresh would keep others from it.
    await world.stores.of(store).ready?.();
  } catch (error) {
    if (!isFailure(error, 'store_unavailable')) throw error; // an engine that is away may come back
  }
  const key = `postern/${parseEngineAddress(store).namespace}/keeper/lease`;
  const { clock } = world;
  const name = world.processName();
  return createElection({ engine, key, id: world.randomId(), name, clock, tell, random: Math.random });
}

/** Prints events as they come, one after the other. */
function teller(world: World, note: (event: KeeperEvent) => void): (event: KeeperEvent) => void {
  let printed = Promise.resolve();
  return (event) => {
    note(event);
    const now = world.clock.now();
    if (!world.json) return world.tell(eventLine(event, now));
    printed = printed.then(() => world.out.json(eventJson(event, now)));
    printed.catch(() => undefined);
  };
}

/**
 * The logins of the index, and how they are refreshed: as every command of ours does it.
 * @param store Only those that are kept there. @param isMeant Only those that are named.
 */
function createFleetLogins(
  ports: TokenPorts & Pick<StorePorts, 'index'>,
  store: StoreKind | undefined,
  isMeant: (login: LoginRecord) => boolean,
): FleetLogins {
  const recordsOf = async () => {
    const { logins } = await ports.index.read();
    return logins.filter((login) => (store === undefined || login.store === store) && isMeant(login));
  };
  return {
    list: async () => {
      if (store !== undefined) await ports.index.adopt?.(store);
      return labelled(await recordsOf());
    },
    refresh: async ({ key }, minLifeMs, signal) => {
      const login = (await recordsOf()).find((record) => record.key === key);
      if (login === undefined) return { expiresAt: null, obtainedAt: 0 }; // gone meanwhile: the next list is without it
      const { expiresAt, obtainedAt } = await validToken(ports, { login, minLifeMs, signal });
      return { expiresAt, obtainedAt };
    },
  };
}

function labelled(records: readonly LoginRecord[]): readonly KeptLogin[] {
  const taken = new Set<string>();
  return records.map((record) => {
    const base = record.name ?? addressOf(record.server);
    let label = base;
    for (let count = 2; taken.has(label); count += 1) label = `${base} (${count})`;
    taken.add(label);
    const { key, expiresAt, obtainedAt } = record;
    return { key, label, expiresAt, obtainedAt, state: stateOf(record) };
  });
}

function stateOf({ dead, gone, refreshable, grant }: LoginRecord): KeptLogin['state'] {
  if (dead === true || gone === true) return 'ended';
  return refreshable || grant === 'client_credentials' ? 'kept' : 'unrefreshable';
}

/** A query may hold a key of the server's. */
function addressOf(server: string): string {
  const { scheme = '', host = '', port = '', path = '' } = splitUrl(server) ?? {};
  return printable(`${scheme}://${host}${port === '' ? '' : `:${port}`}${path}`, 200);
}
