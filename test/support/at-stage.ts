import assert from 'node:assert/strict';
import type { Home } from './home.js';
import { type LoginRecord, readIndexSync, walkLogin } from './product.js';
import type { Running } from './program.js';
import type { Sandbox } from './start-sandbox.js';

/** A sandbox and a person's machine: the programs run by themselves there, or in this process. */
export interface AtStage {
  readonly sandbox: Sandbox;
  readonly home: Home;
  start(...args: string[]): Running;
}

/** The authorization request that `--no-browser` shows to the person, on stderr or at the terminal. */
export async function authorizationUrlOf(program: Running): Promise<string> {
  const pattern = /\bhttps?:\/\/[^\s"]+[?&]response_type=code[^\s"]*(?=[\s"])/;
  const [url] = await Promise.race([program.waitForStderr(pattern), program.waitForStdout(pattern)]);
  return url;
}

/** Logs in to the stage's sandbox with `--no-browser`, as a person would. */
export async function logIn(stage: AtStage): Promise<LoginRecord> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser', '--force');
  await walkLogin(await authorizationUrlOf(login), {});
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  return recordOf(stage);
}

/** The one login of this stage, as the index has it. */
export function recordOf(stage: Pick<AtStage, 'home'>): LoginRecord {
  const [login] = recordsOf(stage);
  assert.ok(login !== undefined);
  return login;
}

export function recordsOf(stage: Pick<AtStage, 'home'>): readonly LoginRecord[] {
  return indexOf(stage).logins;
}

/** The items of the logins, and of those at companies' providers. */
export function keysOf(stage: Pick<AtStage, 'home'>): {
  readonly logins: readonly string[];
  readonly providers: readonly string[];
} {
  const { logins, providers = [] } = indexOf(stage);
  return { logins: logins.map(({ key }) => key), providers: providers.map(({ key }) => key) };
}

function indexOf(stage: Pick<AtStage, 'home'>) {
  const read = readIndexSync(`${stage.home.path}/state/postern/logins.json`);
  assert.ok(read.ok, 'the index opens');
  return read.document;
}

/** Does the protected server take this token? */
export async function isTaken(stage: Pick<AtStage, 'sandbox'>, token: string): Promise<boolean> {
  const response = await fetch(stage.sandbox.serverUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  return response.status !== 401 && response.status !== 403;
}

/** The refresh tokens that were sent to the authorization server, in order. */
export function refreshTokensSent(stage: Pick<AtStage, 'sandbox'>): readonly string[] {
  return stage.sandbox.requests
    .filter(({ path }) => path === '/token')
    .map(({ params }) => new Map(params))
    .filter((form) => form.get('grant_type') === 'refresh_token')
    .map((form) => form.get('refresh_token') ?? '');
}

/** Resolves when the authorization server has got a refresh request beyond the first `before`. */
export async function refreshAsked(stage: Pick<AtStage, 'sandbox'>, before: number): Promise<void> {
  const until = performance.now() + 30_000;
  while (refreshTokensSent(stage).length <= before) {
    assert.ok(performance.now() < until, 'nobody asked for a refresh');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
