import { Caller } from '../../../src/call/caller.js';
import type { ProtocolCall } from '../../../src/call/words.js';
import type { JsonObject } from '../../../src/core/text/json.js';
import type { SeenRequest } from '../../../src/sandbox/log.js';
import type { OpenServer } from '../../../src/tokens/find-login.js';
import { validToken } from '../../../src/tokens/valid-token.js';
import type { LoginPorts, LoginRecord, Relogin, Secret } from '../product.js';
import type { Scene } from './scene.js';

/** A scene, or ports that a test has changed. */
type At = { readonly ports: LoginPorts };

const signal = () => new AbortController().signal;

/** What of a tool call a test may choose. */
export interface Wish {
  readonly relogin?: Relogin;
  readonly notify?: (method: string, params: JsonObject) => unknown;
  /** The revision that is spoken; the sandbox speaks the newest, too. */
  readonly protocol?: string;
}

/** Calls a tool of the sandbox with a login. */
export const callTool = (
  scene: Scene,
  login: LoginRecord | OpenServer,
  name: string,
  given: JsonObject = {},
  wish: Wish = {},
): Promise<JsonObject> => ask(scene, login, { method: 'tools/call', params: { name, arguments: given } }, wish);

/** Asks the login's server for its tools, whichever server that is. */
export const listTools = (scene: Scene, login: LoginRecord | OpenServer, relogin?: Relogin): Promise<JsonObject> =>
  ask(scene, login, { method: 'tools/list', params: {} }, relogin && { relogin });

async function ask(scene: Scene, login: LoginRecord | OpenServer, wanted: ProtocolCall, wish: Wish = {}) {
  await using caller = new Caller(scene.ports, {
    find: async () => login,
    relogin: async () => wish.relogin,
    protocol: wish.protocol,
    policy: 'decline',
    notify: wish.notify ?? (() => undefined),
    tell: () => undefined,
    warn: scene.ports.terminal.tell,
    timeout: 600,
    signal: signal(),
  });
  return await caller.ask(wanted);
}

/** A token with a minute to live, as commands want one; `rejected`: not this one. */
export const freshToken = (at: At, login: LoginRecord, rejected?: Secret, minLifeMs = 60_000) =>
  validToken(at.ports, { login, minLifeMs, rejected, signal: signal() });

/** Asks for more scope in the "browser", as `--login` does, and counts. */
export const stepUp = (scene: Scene): Relogin & { count: number } => {
  const relogin = async (held: LoginRecord, scopes: readonly string[], begin: () => Promise<void>) => {
    await begin();
    relogin.count += 1;
    return scene.login({ scopes, heldScopes: held.scopes });
  };
  relogin.count = 0;
  return relogin;
};

/** What the protected server's endpoint was asked. */
export const atServer = (scene: Scene): readonly SeenRequest[] =>
  scene.sandbox.requests.filter(({ at, path }) => at === 'server' && path === '/mcp');
