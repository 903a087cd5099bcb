import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRelayOrigins } from '../../src/app/relay-origins.js';
import { RelayWire } from '../../src/bridge/relay-wire.js';
import type { WirePorts } from '../../src/call/create-conversation.js';
import type { PersonPorts } from '../../src/call/elicitation/ask-page.js';
import { plainLook } from '../../src/core/text/look.js';
import type { RefreshPorts } from '../../src/credential/grant-token.js';
import { createHttpClient } from '../../src/http/client.js';
import { usualPoolLimits } from '../../src/http/pool.js';
import { listenForCallback } from '../../src/login/browser/callback-listener.js';
import { createServerPages } from '../../src/login/browser/server-pages.js';
import { createAssertions } from '../../src/stores/assertions.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { createRecovery } from '../../src/stores/state/recovery.js';
import { createAttempts, createFormatFailures } from '../../src/stores/state/small-files.js';
import { createToolLists } from '../../src/stores/state/tool-lists.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { type MovableClock, movableClock } from './movable-clock.js';
import {
  type Browser,
  createCredentialIndex,
  createMemoryStore,
  defaultLimits,
  type Journal,
  type Limits,
  type LoginPorts,
  type SecretHeader,
  type SecretStore,
  type Step,
  type Terminal,
  type Walk,
  walkLogin,
} from './product.js';

/** Real ports for flows in this process; only clock, browser and terminal are stand-ins. */
export interface FlowPorts extends LoginPorts, PersonPorts, RefreshPorts, WirePorts, AsyncDisposable {
  readonly store: SecretStore;
  /** Every address that the "browser" was given, in order. */
  readonly opened: readonly string[];
  /** Every line that the person was told. */
  readonly told: readonly string[];
  /** Moves the clock, in milliseconds, and ends the waits that are over by then. */
  advance(ms: number): void;
}

export interface FlowOptions {
  /** An empty folder, for the index and the locks. */
  readonly folder: string;
  /** How the person walks through the login pages. */
  readonly walk?: Walk;
  readonly interactive?: boolean;
  /** What the person chooses where a choice is asked for. */
  readonly choice?: number;
  /** What the person types, one after the other; then the input ends. */
  readonly typed?: readonly string[];
  /** Takes the place of the walk: what the "browser" does with the one-time address. */
  readonly browse?: (url: string) => Promise<unknown>;
  /** The clock goes on by so much when the walk is over: nothing more will come, so nobody waits for it. */
  readonly msAfterWalk?: number;
  readonly limits?: Limits;
  /** As the command line gives them. */
  readonly headers?: readonly SecretHeader[];
  /** An authority that is trusted. */
  readonly caFile?: string;
  /** Variables that platforms' tokens may be in. */
  readonly env?: Record<string, string | undefined>;
  /** Shared between several sets of ports, as a keychain is between processes. */
  readonly store?: SecretStore;
}

/** A HTTP client, listeners, index and locks of the real kind over `folder`; secrets in memory; a browser that walks. */
export async function flowPorts(options: FlowOptions): Promise<FlowPorts> {
  await mkdir(join(options.folder, 'state'), { recursive: true, mode: 0o700 });
  const clock = movableClock();
  const directory = join(options.folder, 'state');
  const locks = createLocks({ directory, clock });
  const userAgent = 'postern-test';
  const httpOptions = {
    ...{ env: {}, userAgent },
    limits: options.limits ?? defaultLimits,
    ...(options.caFile === undefined ? {} : { caFile: options.caFile }),
  };
  const http = createHttpClient(httpOptions);
  const browser = walkingBrowser(options, clock);
  const terminal = scriptedTerminal(options);
  const store = options.store ?? createMemoryStore();
  const limits = options.limits ?? defaultLimits;
  const ports: Omit<FlowPorts, 'detachedRefresh'> = {
    clock,
    limits: async () => limits,
    givenHeaders: async () => options.headers,
    http,
    locks,
    store,
    stores: { of: () => store },
    index: createCredentialIndex({ directory, locks }),
    attempts: createAttempts({ directory, locks, clock }),
    recovery: createRecovery({ directory: join(directory, 'recovery') }),
    failures: createFormatFailures({ directory, locks }),
    toolLists: createToolLists(directory),
    assertions: createAssertions({ env: options.env ?? {} }),
    openWire: async () => new RelayWire(userAgent, openRelayOrigins(httpOptions, usualPoolLimits)),
    browser,
    pages: createServerPages(browser),
    tellLook: plainLook,
    listeners: { listen: (at) => listenForCallback(at, { lingerMs: 200 }, () => false) },
    terminal,
    journal: plainJournal(),
    progress: { begin: () => undefined, end: () => undefined },
    opened: browser.opened,
    told: terminal.told,
    advance: clock.advance,
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
  // In this process: the one of its own is tested as a whole program.
  const detachedRefresh: FlowPorts['detachedRefresh'] = async (login, limits) =>
    void (await validToken(ports, { login, rejected: undefined, ...limits }));
  return Object.assign(ports, { detachedRefresh });
}

function walkingBrowser(options: FlowOptions, clock: MovableClock): Browser & { readonly opened: readonly string[] } {
  const opened: string[] = [];
  const { msAfterWalk = 0, browse = (url: string) => walkLogin(url, options.walk ?? {}) } = options;
  return {
    opened,
    open: async (url) => {
      opened.push(url);
      // A browser goes its own way; a walk that ends badly shows in what the flow does.
      browse(url)
        .catch(() => undefined)
        .finally(() => clock.advance(msAfterWalk));
      return 'opened';
    },
  };
}

export function scriptedTerminal(
  options: Pick<FlowOptions, 'typed' | 'interactive' | 'choice'>,
): Terminal & { readonly told: readonly string[] } {
  const told: string[] = [];
  const typed = [...(options.typed ?? [])];
  return {
    told,
    interactive: options.interactive ?? false,
    tell: (line) => void told.push(line),
    ask: async (question) => {
      told.push(question);
      return typed.shift();
    },
    choose: async () => options.choice ?? 0,
    listen: () => ({ [Symbol.dispose]: () => undefined }),
    event: () => undefined,
  };
}

function plainJournal(): Journal {
  const steps: Step[] = [];
  return { steps, record: (step) => void steps.push(step) };
}
