import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isFailure } from '../core/failure.js';
import { lazy, once } from '../core/lazy.js';
import type { SharedKind } from '../core/records.js';
import type { HttpOptions } from '../http/origins.js';
import {
  environmentLogin,
  environmentStore,
  mentionsToken,
  withEnvironmentLogin,
} from '../stores/environment-token.js';
import { withSharedLogins } from '../stores/index/with-shared-logins.js';
import type { CredentialIndex, SecretStores, StorePorts } from '../stores/ports.js';
import { createStoreRouter, createStores } from '../stores/stores.js';
import type { Context, OwnPorts, Run, World } from './context.js';
import type { PersonalSettings } from './network.js';

interface StoreParts extends Pick<Context, 'clock' | 'terminal' | 'locks' | 'openEngine'> {
  readonly folder: () => string;
  readonly own: OwnPorts;
  readonly settings: () => Promise<PersonalSettings>;
  readonly localIndex: Omit<CredentialIndex, 'adopt'>;
}

/** Where the secrets are, and which logins there are. */
export function storePorts({ world, table }: Run, parts: StoreParts): Pick<StorePorts, 'stores' | 'store' | 'index'> {
  const { own, settings, localIndex, folder: stateFolder } = parts;
  const { platform, env, interruption, tokenGiven } = world;
  const { signal } = interruption;
  const configured = async () => (await settings()).store;
  const fleet = once(async () => {
    const { sharedStores } = await import('../fleet/shared/open-shared.js');
    return sharedStores({ ...parts, env, signal });
  });
  const openShared = async (kind: SharedKind) => await (await fleet())(kind);
  const limits = async () => (await settings()).limits;
  const usual = createStores({ ...parts, platform, env, stateFolder, signal, limits, openShared });
  // Read once, and when logins are looked for: what is wrong with it is then the command's failure.
  let login: ReturnType<typeof environmentLogin> | undefined;
  const environment = () => {
    login ??= environmentLogin(tokenGiven, Date.now());
    return login;
  };
  const hasToken = table.environmentToken === true && mentionsToken(tokenGiven);
  const given = hasToken ? environmentStore(environment) : undefined;
  const { store, index: ownIndex } = own;
  const stores: SecretStores = { of: (kind) => store ?? (kind === given?.kind ? given : usual.of(kind)) };
  const adopting = ownIndex ?? withSharedLogins(localIndex, { shared: openShared, configured });
  const index = hasToken && ownIndex === undefined ? withEnvironmentLogin(adopting, environment) : adopting;
  return { stores, index, store: store ?? createStoreRouter({ index, stores }) };
}

/** How a person is reached beside the terminal. */
export function personPorts({ platform, env, stdin, stderr }: World, own: OwnPorts) {
  const browser =
    own.browser ??
    lazy(async () => (await import('../login/browser/open-browser.js')).createBrowser({ platform, env }));
  return {
    browser,
    listeners: lazy(async () => {
      const { listenForCallback } = await import('../login/browser/callback-listener.js');
      return { listen: (at) => listenForCallback(at) };
    }),
    pages: lazy(async () => (await import('../login/browser/server-pages.js')).createServerPages(browser)),
    openLineReader: async (options) => {
      const { TerminalLineReader } = await import('./terminal/line-reader.js');
      return new TerminalLineReader(stdin(), stderr, options);
    },
  } satisfies Partial<Context>;
}

/** Other programs: those that are started, and what is written for them. */
export function programPorts({ env, platform, homedir, programs, signals, launch, interruption }: World) {
  const externalPrograms = async () => {
    const { createExternalPrograms } = await import('../setup/machine/external-programs.js');
    return createExternalPrograms({ env, platform, homedir, script: launch.script });
  };
  return {
    programs,
    signals,
    externalPrograms,
    findServers: async (program, logins) =>
      (await import('../setup/find-servers.js')).findServers(externalPrograms, program, logins),
    programsWithServers: async (logins) =>
      (await import('../setup/find-servers.js')).programsWithServers(externalPrograms, logins),
    startServer: async (command, said) => {
      const { startServerProgram } = await import('./server-program.js');
      return startServerProgram({ command, env, said, signal: interruption.signal });
    },
    processName: () => `${hostname()} (process ${process.pid})`,
    randomId: () => randomUUID(),
    listenLocally: listenLocally,
  } satisfies Partial<Context>;
}

/** A keeper listens as the proxy does. */
export const listenLocally: Context['listenLocally'] = async (server, where) => {
  const { listen } = await import('../proxy/listen.js');
  try {
    return await listen(server, where);
  } catch (error) {
    if (!isFailure(error, 'proxy_port_in_use', 'proxy_port_refused')) throw error;
    throw error.withRemedy('Choose another port; --listen 127.0.0.1:0 takes a free one.');
  }
};

/** What one room does for another one. */
export function joinedPorts(context: () => Context, httpOptions: () => Promise<HttpOptions>) {
  return {
    logInForRun: async (wanted) => (await import('../login/login-for-run.js')).logInForRun(context(), wanted),
    checkPrograms: async (program) => (await import('../setup/check-programs.js')).checkPrograms(context(), program),
    brokenLogins: async () => (await import('../login/status/login-status.js')).brokenLogins(context()),
    findingsPage: async () => (await import('./help/topics.js')).readTopic('findings').text,
    canListen: async () => await (await import('./terminal/can-listen.js')).canListen(),
    examineAddresses: async (url, signal) => {
      const { addressExaminer } = await import('../doctor/address-examiner.js');
      return addressExaminer(await httpOptions())(url, signal);
    },
  } satisfies Partial<Context>;
}
