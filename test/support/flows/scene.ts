import { cp } from 'node:fs/promises';
import { after } from 'node:test';
import { redirectUriText } from '../../../src/core/configuration/redirect-uri.js';
import { givenOptions } from '../../../src/login/given/given-options.js';
import { login } from '../../../src/login/log-in.js';
import { type FlowOptions, type FlowPorts, flowPorts } from '../flow-ports.js';
import { failureOf } from '../http.js';
import {
  type ClientOptions,
  defaultAccount,
  type Failure,
  type LoginRecord,
  type LoginRequest,
  type PersonLogin,
  type PersonOptions,
  type PreregisteredClient,
  type SandboxOptions,
} from '../product.js';
import { countsOf, type Sandbox, startSandbox } from '../start-sandbox.js';
import { temporaryFolder } from '../temporary.js';

/** What is asked of a login, all in one row. */
export interface WantedLogin
  extends Omit<LoginRequest, 'scopes' | 'client'>,
    PersonOptions,
    Pick<PersonLogin, 'page'>,
    Pick<ClientOptions, 'metadataUrl'> {
  readonly scopes: readonly string[] | undefined;
  readonly heldScopes: readonly string[];
  readonly registration: ClientOptions['way'];
  readonly client: PreregisteredClient | undefined;
  readonly clients: readonly PreregisteredClient[];
}

/** A sandbox, and a person's machine with nothing on it yet. */
export interface Scene extends AsyncDisposable {
  /** Holds the index and the locks, in `state`. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly ports: FlowPorts;
  /** What a person asks for who names the sandbox and nothing else. */
  request(change?: Partial<WantedLogin>): PersonLogin;
  /** Logs in to the sandbox as a person would. */
  login(change?: Partial<WantedLogin>): Promise<LoginRecord>;
  /** The failure that a login ends with. */
  loginFails(code: string, change?: Partial<WantedLogin>): Promise<Failure>;
  /** Paths asked at the authorization server so far. */
  askedAuthorizationServer(): readonly string[];
}

/** A development server that was restarted: the same addresses, and nothing remembered. */
export async function restarted({ sandbox }: Scene, options: SandboxOptions = {}): Promise<Sandbox> {
  const portOf = (url: string) => Number(new URL(url).port);
  await sandbox.close();
  return startSandbox({ port: portOf(sandbox.serverUrl), authorizationPort: portOf(sandbox.issuer), ...options });
}

/** Opens a scene; everything in it ends with it. */
export async function openScene(sandboxOptions: SandboxOptions = {}, flow: Partial<FlowOptions> = {}): Promise<Scene> {
  const sandbox = await startSandbox(sandboxOptions);
  const scene = await sceneAt(sandbox, flow);
  const end = async () => {
    await scene[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
  };
  return { ...scene, sandbox, [Symbol.asyncDispose]: end };
}

/** That machine once more, as it is now, in front of the same sandbox: what happens on one does not show on the other. */
export async function copyOf(scene: Scene, flow: Partial<FlowOptions> = {}): Promise<Scene> {
  const { index, store } = scene.ports;
  const copy = await sceneAt(scene.sandbox, flow);
  await cp(scene.folder, copy.folder, { recursive: true });
  for (const { key } of (await index.read()).logins) {
    const item = await store.read(key);
    if (item !== undefined) await copy.ports.store.write(key, item);
  }
  return copy;
}

/**
 * One login for all tests of a file: each gets a copy of that machine, which sees its own requests alone, and the sandbox
 * without other faults than at first. Its refresh token works once: a test that refreshes logs in itself.
 */
export function loggedInOnce(options: SandboxOptions = {}, change: Partial<WantedLogin> = {}) {
  const open = async () => {
    const scene = await openScene(options);
    return { scene, login: await scene.login(change) };
  };
  let opened: ReturnType<typeof open> | undefined;
  after(async () => (await opened)?.scene[Symbol.asyncDispose]());
  return async (flow: Partial<FlowOptions> = {}) => {
    opened ??= open();
    const { scene, login } = await opened;
    scene.sandbox.setFaults(options.faults ?? []);
    return { ...(await copyOf(scene, flow)), held: login };
  };
}

/** A sandbox as one sees it who comes now: what it was asked before is not counted. */
function fromNowOn(sandbox: Sandbox): Sandbox {
  const { length } = sandbox.requests;
  const requests = () => sandbox.requests.slice(length);
  return Object.defineProperties(
    { ...sandbox },
    { requests: { get: requests }, stats: { get: () => countsOf(requests()) } },
  );
}

/** A machine with nothing on it yet, in front of a sandbox that goes on when the machine is gone. */
export async function sceneAt(shared: Sandbox, flow: Partial<FlowOptions> = {}): Promise<Scene> {
  const sandbox = fromNowOn(shared);
  const folder = await temporaryFolder();
  const ports = await flowPorts({ folder: folder.path, ...flow });
  const usual: WantedLogin = {
    server: sandbox.serverUrl,
    account: defaultAccount,
    name: undefined,
    scopes: undefined,
    heldScopes: [],
    issuer: undefined,
    registration: undefined,
    client: undefined,
    clients: [],
    metadataUrl: undefined,
    redirectPort: undefined,
    store: undefined,
    mode: 'browser',
    availability: 'desktop',
    caller: undefined,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  };
  const request = (change: Partial<WantedLogin> = {}) => requestOf({ ...usual, ...change });
  return {
    folder: folder.path,
    sandbox,
    ports,
    request,
    login: (change = {}) => login(ports, request(change)),
    loginFails: (code, change = {}) => failureOf(login(ports, request(change)), code),
    askedAuthorizationServer: () => sandbox.requests.filter(({ at }) => at === 'authorization').map(({ path }) => path),
    [Symbol.asyncDispose]: async () => {
      await ports[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function requestOf(wanted: WantedLogin): PersonLogin {
  const { scopes, heldScopes, registration, client, clients, metadataUrl, ...rest } = wanted;
  const { mode, availability, redirectPort, redirectUri, usualPort, listenAddress, caller, timeoutMs, ...login } = rest;
  const redirect = { redirectPort, redirectUri, usualPort, listenAddress };
  const given = {
    scope: scopes ?? [],
    redirectPort,
    redirectUri: redirectUri && redirectUriText(redirectUri),
    clientId: client?.clientId,
    clientSecretStdin: client?.secret !== undefined,
  };
  return {
    given: givenOptions(given, {}),
    ...login,
    scopes: { named: scopes, held: heldScopes },
    client: { way: registration, given: client, configured: clients, metadataUrl },
    person: { ...redirect, mode, availability, caller, timeoutMs },
  };
}
