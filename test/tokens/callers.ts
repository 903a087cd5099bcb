import assert from 'node:assert/strict';
import { after } from 'node:test';
import { bridgeTokens } from '../../src/bridge/bridge.js';
import { createTransport } from '../../src/call/transport.js';
import { grantToken } from '../../src/credential/grant-token.js';
import { Authorizer } from '../../src/tokens/authorizer.js';
import { proveAddress } from '../../src/tokens/credential-target.js';
import { personOf } from '../../src/tokens/step-up.js';
import { TokenInUse } from '../../src/tokens/token-in-use.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { ask, openStand } from '../proxy/stand.js';
import type { TokenForm } from '../support/flows/own-issuer.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { copyOf, openScene, type Scene } from '../support/flows/scene.js';
import { Failure, type LoginRecord, type Relogin } from '../support/product.js';

const { signal } = new AbortController();
const limits = { totalMs: 20_000, headersMs: 20_000, maxBytes: null };

export interface Stage {
  readonly scene: Scene;
  readonly own: OwnScene;
  readonly login: LoginRecord;
  /** The address that requests go to. */
  readonly url: string;
  readonly relogin: Relogin | undefined;
}

/** Sends one request; its status, or the code of the failure. */
type Send = () => Promise<number | string>;
export type Opened = { readonly send: Send } & AsyncDisposable;

const nothing = { [Symbol.asyncDispose]: async () => undefined };
const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}';

async function outcomeOf(work: () => Promise<number | string>): Promise<number | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

/** `call` and `request`. */
function request({ scene, login, url, relogin }: Stage): Opened {
  const transport = createTransport(scene.ports, { login, relogin, signal });
  const send = () =>
    outcomeOf(async () => {
      await using response = await transport.send({ method: 'POST', url, body, limits, signal });
      return response.status;
    });
  return { send, ...nothing };
}

/** The bridge's tokens, with requests that need no host. */
function bridge({ scene, login, url, relogin }: Stage): Opened {
  const asking: Relogin | undefined = relogin;
  const tokens = bridgeTokens(scene.ports, {
    wanted: { server: url, account: undefined },
    server: url,
    login,
    ask:
      asking &&
      (async (held, scopes, begin) => {
        const better = held && (await asking(held, scopes, begin));
        return better ?? assert.fail('nobody was asked');
      }),
    waitMs: 20_000,
    signal,
  });
  const authorizer = new Authorizer(tokens);
  const target = { url, method: 'POST', operation: () => 'x', repeatable: () => true };
  const send = () =>
    outcomeOf(async () => {
      let authorized = await authorizer.authorize(target);
      for (;;) {
        const authorization = authorized.token?.own[0]?.value.reveal();
        const headers = authorization === undefined ? {} : { authorization };
        const { status, headers: got } = await fetch(url, { method: 'POST', body, headers });
        const challenges = [got.get('www-authenticate') ?? []].flat();
        const again = await authorizer.retry(authorized, { status, challenges });
        if (again === undefined) return status;
        authorized = again;
      }
    });
  return { send, ...nothing };
}

async function proxy({ scene, login, url, relogin }: Stage): Promise<Opened> {
  const tokens = new TokenInUse(scene.ports, { meant: login, login, person: personOf(relogin), signal });
  const mount = { name: 'm', server: url, authorizer: new Authorizer(tokens), policy: undefined };
  const stand = await openStand(mount);
  const send = async () => {
    const { code, status } = await ask(stand, stand.at(), { method: 'POST', body });
    return code ?? status;
  };
  return { send, [Symbol.asyncDispose]: () => stand[Symbol.asyncDispose]() };
}

/** What other programs are given, who then send it themselves. */
const handedOut =
  (get: (stage: Stage) => Promise<{ readonly server: string; readonly token: string }>) =>
  (stage: Stage): Opened => {
    const send = () =>
      outcomeOf(async () => {
        const { server, token } = await get(stage);
        proveAddress({ server }, stage.url);
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(stage.url, { method: 'POST', body, headers })).status;
      });
    return { send, ...nothing };
  };

const credential = handedOut(async ({ scene, login }) => {
  const asked = { login, minLifeMs: undefined, signal } as const;
  const { accessToken, binding } = await grantToken(scene.ports, asked);
  return { server: binding.server, token: accessToken.reveal() };
});
const token = handedOut(async ({ scene, login }) => {
  const asked = { login, minLifeMs: undefined, rejected: undefined, signal };
  const { accessToken, binding } = await validToken(scene.ports, asked);
  return { server: binding.server, token: accessToken.reveal() };
});

export const senders = { request, bridge, proxy };
export const callers = { ...senders, credential, token };

/** One login for all tests: each has a copy of the machine, and finds the servers as they were after it. */
async function openHome() {
  const [scene, own] = [await openScene(), await openOwnScene()];
  own.server.whenAuthorized = (_message, response) => void response.end('{}');
  const login = await scene.login({ server: own.server.url });
  return { scene, own, login, accept: own.server.whenAuthorized, issue: own.issuer.onToken };
}
let home: ReturnType<typeof openHome> | undefined;
after(async () => {
  const { scene, own } = (await home) ?? {};
  await scene?.[Symbol.asyncDispose]();
  await own?.[Symbol.asyncDispose]();
});

export async function openStage() {
  home ??= openHome();
  const { own, accept, issue, ...at } = await home;
  own.server.whenAuthorized = accept;
  own.issuer.onToken = issue;
  (own.issuer.forms as TokenForm[]).splice(1); // tokens are numbered by them
  const scene = await copyOf(at.scene);
  const end = () => scene[Symbol.asyncDispose]();
  return { scene, own, login: at.login, url: own.server.url, accept, issue, [Symbol.asyncDispose]: end };
}
