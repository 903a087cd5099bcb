import type { Failure } from '../../core/failure.js';
import { type BusConnection, type BusTrouble, busCall, connectBus } from './bus-connection.js';
import type { BusMessage, BusValue, MethodCall } from './bus-messages.js';
import {
  itemLocked,
  type ServiceName,
  storeFailed,
  storeLocked,
  storeTimeout,
  storeUnavailable,
  waitingNotice,
} from './failures.js';
import type { Items, KeychainOptions } from './items.js';
import { askServiceName, isWalletOpen, secretService, textOf } from './secret-service-calls.js';

/**
 * Why the Secret Service did not do what was asked. `ended`: it was there, and has ended. `item_locked`: the keyring is
 * open, and the item is not: a person is asked before it is given out.
 */
type Trouble =
  | BusTrouble
  | 'no_service'
  | 'no_collection'
  | 'ended'
  | 'locked'
  | 'item_locked'
  | 'denied'
  | 'unanswered'
  | 'failed';

class Refused extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble, detail = '') {
    super(detail);
    this.trouble = trouble;
  }
}

type Operation = 'read' | 'write' | 'remove' | 'unlock';

/** How long a Secret Service that has ended may take to be there again, and between two looks. */
const backMs = 2_000;
const pauseMs = 100;
const unended = new AbortController().signal;

/** Before a line says what is waited for. */
const noticeMs = 1_500;

/** Which troubles a service shows that is just starting. */
const isStarting: ReadonlySet<Trouble> = new Set(['ended', 'no_service', 'no_collection']);

/** What is known of the service while it is asked. */
interface Asking {
  readonly bus: BusConnection;
  readonly service: ServiceName;
}

/**
 * Items of the Secret Service, over a connection of our own for each use: a call on it can be given up at any time. After
 * one time-out every further request fails at once: a keychain that hangs does not hang once for each item.
 */
export class SecretService implements Items {
  readonly #options: KeychainOptions;
  readonly #operationMs: number;
  #gaveUp: Failure | undefined;

  constructor(options: KeychainOptions) {
    this.#options = options;
    this.#operationMs = options.limits.storeSeconds * 1_000;
  }

  /** Unlocks the keyring, with the person's help, if it is locked. */
  async open(): Promise<void> {
    await this.#use('unlock', (asking) => this.#openCollection(asking));
  }

  async get(account: string): Promise<string | undefined> {
    return await this.#use('read', async (asking) => {
      await this.#openCollection(asking);
      const { session, paths } = await this.#find(asking, account);
      const [path, another] = paths;
      if (path === undefined) return undefined;
      if (another !== undefined) throw new Refused('failed', 'there are several items of this name');
      const text = textOf(await ask(asking, secretService.getSecret(path, session)));
      if (text === undefined) throw new Refused('failed', 'what it gave is no secret');
      return text;
    });
  }

  async set(account: string, text: string): Promise<void> {
    await this.#use('write', async (asking) => {
      const collection = await this.#openCollection(asking);
      const { session, paths } = await this.#find(asking, account);
      const [path] = paths;
      if (path !== undefined) return void (await ask(asking, secretService.setSecret(path, session, text)));
      const [made, prompt] = await ask(asking, secretService.createItem(collection, session, account, text));
      if (made === '/') await this.#promptEnd(asking, prompt, 'item_locked');
    });
  }

  async delete(account: string): Promise<boolean> {
    return await this.#use('remove', async (asking) => {
      await this.#openCollection(asking);
      const { paths } = await this.#find(asking, account);
      for (const path of paths) {
        const [prompt] = await ask(asking, secretService.deleteItem(path));
        await this.#promptEnd(asking, prompt, 'item_locked');
      }
      return paths.length > 0;
    });
  }

  /** A service that ends by itself may be started again, by the desktop or the bus: then the work is done once more. */
  async #use<T>(operation: Operation, work: (asking: Asking) => Promise<T>): Promise<T> {
    if (this.#gaveUp !== undefined) throw this.#gaveUp;
    const { clock } = this.#options;
    const deadline = clock.monotonic() + this.#operationMs;
    let ended: { readonly failure: Failure; readonly until: number } | undefined;
    for (;;) {
      const done = await this.#once(operation, work, deadline);
      if ('value' in done) return done.value;
      const { trouble, failure } = done;
      const now = clock.monotonic();
      if (trouble === 'ended') ended ??= { failure, until: Math.min(deadline, now + backMs) };
      if (trouble === 'hung' || trouble === 'unanswered') this.#gaveUp = failure;
      if (ended === undefined || !isStarting.has(trouble)) throw failure;
      if (now >= ended.until) throw ended.failure;
      await clock.sleep(pauseMs, unended);
    }
  }

  async #once<T>(
    operation: Operation,
    work: (asking: Asking) => Promise<T>,
    deadline: number,
  ): Promise<{ readonly value: T } | { readonly trouble: Trouble; readonly failure: Failure }> {
    const { clock, env } = this.#options;
    const connected = await connectBus(env, Math.max(1, deadline - clock.monotonic()));
    if (typeof connected === 'string') return this.#failed(operation, new Refused(connected), 'none');
    using bus = connected;
    const named = askServiceName(bus);
    let service: ServiceName = 'none';
    let isThere = false;
    try {
      const greeting = await bus.call(secretService.greet);
      service = await named;
      valuesOf(greeting);
      if (service === 'none') service = await askServiceName(bus); // that call has started it
      isThere = true;
      return { value: await work({ bus, service }) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const isGone = isThere && error.trouble === 'no_service';
      return this.#failed(operation, isGone ? new Refused('ended', error.message) : error, service);
    }
  }

  /** The path of the default collection, which is open then. Asks for nothing that a service would prompt for unasked. */
  async #openCollection(asking: Asking): Promise<string> {
    const { bus, service } = asking;
    const [path] = await ask(asking, secretService.readDefaultAlias);
    if (typeof path !== 'string' || path === '/') throw new Refused('no_collection');
    const [isLocked] = await ask(asking, secretService.isDefaultLocked);
    if (isLocked === false) return path;
    const opensUnasked = service === 'kwallet' && (await isWalletOpen(bus));
    await this.#unlock(asking, path, opensUnasked ? 'opens' : 'locked');
    return path;
  }

  /** The items of this name, open, and a session. */
  async #find(
    asking: Asking,
    account: string,
  ): Promise<{ readonly session: string; readonly paths: readonly string[] }> {
    const [opened, found] = await Promise.all([
      ask(asking, secretService.openPlainSession),
      ask(asking, secretService.searchItems(account)),
    ]);
    const [open, locked] = found.map(pathsIn);
    for (const path of locked ?? []) await this.#unlock(asking, path, 'item_locked');
    return { session: String(opened[1]), paths: [...(open ?? []), ...(locked ?? [])] };
  }

  async #unlock(asking: Asking, path: string, why: 'locked' | 'item_locked' | 'opens'): Promise<void> {
    if (!this.#options.interactive && why !== 'opens') throw new Refused(why);
    const [, prompt] = await ask(asking, secretService.unlock(path));
    await this.#promptEnd(asking, prompt, why === 'item_locked' ? why : 'locked');
  }

  /** Waits for a prompt to be answered, if there is one. */
  async #promptEnd(
    { bus, service }: Asking,
    prompt: BusValue | undefined,
    why: 'locked' | 'item_locked',
  ): Promise<void> {
    if (typeof prompt !== 'string' || prompt === '/') return;
    const { interactive, limits, notify } = this.#options;
    let notice: NodeJS.Timeout | undefined;
    if (interactive) {
      bus.limit(limits.unlockSeconds * 1_000);
      notice = setTimeout(() => notify(waitingNotice(service, why === 'locked')), noticeMs);
    }
    try {
      const matches = `type='signal',interface='org.freedesktop.Secret.Prompt',path='${prompt}'`;
      await bus.call(busCall('AddMatch', matches));
      const ending = bus.promptEnd(prompt);
      await ask({ bus }, secretService.prompt(prompt));
      const [isDismissed] = valuesOf(await ending, true);
      if (isDismissed !== false) throw new Refused(why === 'locked' ? 'denied' : why);
    } catch (error) {
      const isUnanswered = interactive && error instanceof Refused && error.trouble === 'hung';
      throw isUnanswered ? new Refused('unanswered', why) : error;
    } finally {
      clearTimeout(notice);
    }
    if (interactive) bus.limit(this.#operationMs);
  }

  #failed(operation: Operation, refused: Refused, service: ServiceName) {
    return { trouble: refused.trouble, failure: this.#failure(operation, refused, service) };
  }

  #failure(operation: Operation, { trouble, message }: Refused, service: ServiceName): Failure {
    const { interactive, env } = this.#options;
    switch (trouble) {
      case 'hung':
        return storeTimeout(service, operation, this.#operationMs);
      case 'unanswered':
        return message === 'locked' ? storeLocked(service, trouble) : itemLocked(service);
      case 'locked':
      case 'denied':
        return storeLocked(service, interactive ? 'denied' : undefined);
      case 'item_locked':
        return itemLocked(service);
      case 'failed':
      case 'unknown':
        return storeFailed(operation, message === '' ? 'the session bus is not understood' : message);
      case 'no_bus':
        return storeUnavailable((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '' ? 'no_bus_named' : trouble, service);
      default:
        return storeUnavailable(trouble, service, message);
    }
  }
}

async function ask({ bus }: Pick<Asking, 'bus'>, call: MethodCall): Promise<readonly BusValue[]> {
  return valuesOf(await bus.call(call));
}

/** @throws Refused */
function valuesOf(response: BusMessage | BusTrouble, isSignal = false): readonly BusValue[] {
  if (typeof response === 'string') throw new Refused(response);
  if (isSignal || response.kind === 'return') return response.values;
  throw new Refused(troubleIn(response), response.errorName);
}

function troubleIn({ errorName }: BusMessage): Trouble {
  const name = errorName.replace(/^org\.freedesktop\.(?:DBus\.Error|Secret\.Error)\./, '');
  if (name === 'NoReply') return 'ended'; // it took the call, and left the bus
  if (name === 'ServiceUnknown' || name === 'NameHasNoOwner' || name.startsWith('Spawn.')) return 'no_service';
  if (name === 'Timeout' || name === 'TimedOut') return 'hung';
  return name === 'IsLocked' ? 'locked' : 'failed';
}

function pathsIn(list: BusValue): readonly string[] {
  return Array.isArray(list) ? list.filter((path) => typeof path === 'string') : [];
}
