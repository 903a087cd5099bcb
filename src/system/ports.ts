import type { CredentialIndex, Journal, Ports } from '../ports.js';
import { createClock } from './clock.js';
import {
  lateAttempts,
  lateBrowser,
  lateDoor,
  lateIndex,
  lateListeners,
  lateLocks,
  lateRecovery,
  lateStore,
} from './late-ports.js';
import {
  type Hold,
  watchDoor,
  watchListeners,
  watchRecovery,
  watchStore,
  watchTerminal,
} from './secret-watch.js';
import type { Spinner } from './spinner.js';
import { statePaths } from './state/paths.js';
import { createTerminal, type TerminalOptions } from './terminal.js';

/** Which ports somebody brings himself: the demo a browser and a store, a test a clock. */
export type OwnPorts = Partial<Pick<Ports, 'browser' | 'store' | 'clock' | 'terminal'>>;

export interface PortsOptions extends Omit<TerminalOptions, 'spinner'> {
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** PEM file with more authorities to trust; asked for when the first request is sent. */
  readonly caFile: () => Promise<string | undefined>;
  readonly journal: Journal;
  readonly spinner: Spinner;
  /** Sees every secret, so that the last net before stderr knows it. */
  readonly hold: Hold;
  readonly own: OwnPorts;
}

/** The real world as flows see it; what has to be closed is the door. */
export function createPorts(options: PortsOptions): Ports {
  const { platform, homedir, env, hold, own, journal, spinner } = options;
  const clock = own.clock ?? createClock();
  const terminal = own.terminal ?? createTerminal(options);
  const folder = () => statePaths(env, platform, homedir).state;
  const locks = lateLocks(async () => {
    const { createLocks } = await import('./state/locks.js');
    return createLocks({ directory: `${folder()}/locks`, clock });
  });
  const index: CredentialIndex = lateIndex(async () => {
    const { createCredentialIndex } = await import('./state/credential-index.js');
    return createCredentialIndex({ directory: folder(), locks });
  });
  const attempts = lateAttempts(async () => {
    const { createAttempts } = await import('./state/attempts.js');
    return createAttempts({ directory: folder(), locks, clock });
  });
  const recovery = lateRecovery(async () => {
    const { createRecovery } = await import('./state/recovery.js');
    return createRecovery({ directory: `${folder()}/recovery` });
  });
  const store = lateStore('keychain', async () => {
    const [{ createKeychain }, { keychainLimits }] = await Promise.all([
      import('./keychain/keychain.js'),
      import('./keychain/limits.js'),
    ]);
    const { interactive } = terminal;
    const limits = keychainLimits(platform);
    return createKeychain({ platform, env, clock, interactive, notify: options.tell, limits });
  });
  const listeners = lateListeners(async () => {
    const [{ createCallbackListeners }, { callbackLimits }] = await Promise.all([
      import('./callback/listeners.js'),
      import('./callback/limits.js'),
    ]);
    return createCallbackListeners(callbackLimits);
  });
  const browser = lateBrowser(async () => {
    const { createBrowser } = await import('./browser.js');
    return createBrowser({ platform, env });
  });
  return {
    clock,
    locks,
    index,
    recovery: watchRecovery(recovery, hold),
    journal,
    attempts,
    progress: spinner,
    store: watchStore(own.store ?? store, hold),
    door: watchDoor(
      lateDoor(() => openDoor(options)),
      hold,
    ),
    listeners: watchListeners(listeners, hold),
    browser: own.browser ?? browser,
    terminal: watchTerminal(terminal, hold),
  };
}

async function openDoor(options: PortsOptions): Promise<Ports['door']> {
  const [{ createDoor }, { systemResolver }, caFile] = await Promise.all([
    import('./http/door.js'),
    import('./http/system-resolver.js'),
    options.caFile(),
  ]);
  const { env, userAgent } = options;
  return createDoor({ env, userAgent, resolve: systemResolver, ...(caFile === undefined ? {} : { caFile }) });
}
