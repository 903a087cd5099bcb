import type { Failure } from '../../../src/core/failure.js';
import { defaultAccount, type LoginRecord } from '../../../src/core/records.js';
import { login } from '../../../src/login/log-in.js';
import type { LoginRequest } from '../../../src/login/ports.js';
import type { SandboxOptions } from '../../../src/sandbox/options.js';
import type { Sandbox } from '../../../src/sandbox/start.js';
import { type FlowOptions, type FlowPorts, flowPorts } from '../flow-ports.js';
import { failureOf } from '../http.js';
import { startSandbox } from '../start-sandbox.js';
import { temporaryFolder } from '../temporary.js';

/** A sandbox, and a person's machine with nothing on it yet. */
export interface Scene extends AsyncDisposable {
  /** Holds the index and the locks, in `state`. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly ports: FlowPorts;
  /** What a person asks for who names the sandbox and nothing else. */
  request(change?: Partial<LoginRequest>): LoginRequest;
  /** Logs in to the sandbox as a person would. */
  login(change?: Partial<LoginRequest>): Promise<LoginRecord>;
  /** The failure that a login ends with. */
  loginFails(code: string, change?: Partial<LoginRequest>): Promise<Failure>;
  /** Paths asked at the authorization server so far. */
  askedAuthorizationServer(): readonly string[];
}

/** Opens a scene; everything in it ends with it. */
export async function openScene(sandboxOptions: SandboxOptions = {}, flow: Partial<FlowOptions> = {}): Promise<Scene> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox(sandboxOptions);
  const ports = await flowPorts({ folder: folder.path, ...flow });
  const request = (change: Partial<LoginRequest> = {}): LoginRequest => ({
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
    ...change,
  });
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
      await sandbox[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
