import assert from 'node:assert/strict';
import type { LoginRecord } from '../../src/core/records.js';
import { walkLogin } from '../../src/sandbox/walk.js';
import { readIndexSync } from '../../src/stores/index/credential-index.js';
import { authorizationUrlOf, type Stage } from '../e2e/stage.js';
import { writeStored } from '../support/keyring-queries.js';

/** How often a test is to be repeated: `variable` of the environment, at most `most`; else `usual`. */
export function rounds(variable: string, usual: number, most: number): number {
  const wanted = Number(process.env[variable] ?? usual);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, most) : usual;
}

/** Logs in to the stage's sandbox with `--no-browser`, as a person would. */
export async function logIn(stage: Stage): Promise<LoginRecord> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser', '--force');
  await walkLogin(await authorizationUrlOf(login), {});
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  return recordOf(stage);
}

/** The one login of this stage, as the index has it. */
export function recordOf(stage: Stage): LoginRecord {
  const [login] = recordsOf(stage);
  assert.ok(login !== undefined);
  return login;
}

export function recordsOf(stage: Stage): readonly LoginRecord[] {
  return indexOf(stage).logins;
}

/** The items of the logins, and of those at companies' providers. */
export function keysOf(stage: Stage): { readonly logins: readonly string[]; readonly providers: readonly string[] } {
  const { logins, providers = [] } = indexOf(stage);
  return { logins: logins.map(({ key }) => key), providers: providers.map(({ key }) => key) };
}

function indexOf(stage: Stage) {
  const read = readIndexSync(`${stage.home.path}/state/postern/logins.json`);
  assert.ok(read.ok, 'the index opens');
  return read.document;
}

/** Members of a stored credential that tests look at or change. */
export interface ItemFields {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
  readonly obtainedAt: number;
}

/** The item in the real keychain. */
export async function itemOf(stage: Stage, key: string): Promise<ItemFields> {
  const text = await stage.keyring.lookup(key);
  assert.ok(text !== undefined, 'the item is there');
  return JSON.parse(text) as ItemFields;
}

/** Makes the stored token run out `inMs` from now, as far as this machine knows; the item is otherwise as it was. */
export async function letExpire(stage: Stage, key: string, inMs: number): Promise<ItemFields> {
  const item = { ...(await itemOf(stage, key)), expiresAt: Date.now() + inMs };
  await writeItem(stage, key, item);
  return item;
}

/** Puts an item into the real keychain. */
export async function writeItem(stage: Stage, key: string, item: ItemFields): Promise<void> {
  await writeStored(stage.home.env, key, JSON.stringify(item));
}

/** Does the protected server take this token? */
export async function isTaken(stage: Stage, token: string): Promise<boolean> {
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
export function refreshTokensSent(stage: Stage): readonly string[] {
  return stage.sandbox.requests
    .filter(({ path }) => path === '/token')
    .map(({ params }) => new Map(params))
    .filter((form) => form.get('grant_type') === 'refresh_token')
    .map((form) => form.get('refresh_token') ?? '');
}

/** Resolves when the authorization server has got a refresh request beyond the first `before`. */
export async function refreshAsked(stage: Stage, before: number): Promise<void> {
  const until = performance.now() + 30_000;
  while (refreshTokensSent(stage).length <= before) {
    assert.ok(performance.now() < until, 'nobody asked for a refresh');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
