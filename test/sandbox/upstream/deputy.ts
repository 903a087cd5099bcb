import type { Sandbox } from '../../support/start-sandbox.js';
import { authorizationUrl, type Callback, registerNative, tokenRequest, verifier } from '../client.js';
import { TestSession } from '../protected-server/session.js';
import { Tab } from '../tab.js';

export const scope = 'mcp:basic upstream:read';

/** A client that wants the upstream: an honest one, or an attacker's. */
export interface Program {
  readonly clientId: string;
  readonly callback: Callback;
  /** Its authorization request. */
  readonly link: string;
}

export async function program(sandbox: Sandbox, callback: Callback, name: string): Promise<Program> {
  const clientId = await registerNative(sandbox, { client_name: name });
  return { clientId, callback, link: linkOf(sandbox, clientId, callback.redirectUri) };
}

export function linkOf(sandbox: Sandbox, clientId: string, redirectUri: string): string {
  return authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri, scope });
}

/** A browser whose person logs in and allows everything, at the sandbox and at the upstream. */
export async function willing(link: string, account: string): Promise<Tab> {
  const tab = new Tab({ roams: true });
  await tab.open(link);
  await tab.press('account', account);
  await tab.press('decision', 'allow');
  await tab.press('decision', 'allow');
  return tab;
}

/** The code that reached a program last. */
export function codeAt({ callback }: Program): string | null {
  // A browser asks for an icon, too.
  return callback.seen.findLast((query) => query.has('code'))?.get('code') ?? null;
}

/** What the tool says to a program that redeems its code and calls it. */
export async function profileFor(sandbox: Sandbox, program: Program): Promise<string> {
  const { json } = await tokenRequest(sandbox, {
    grant_type: 'authorization_code',
    code: codeAt(program),
    client_id: program.clientId,
    redirect_uri: program.callback.redirectUri,
    code_verifier: verifier,
  });
  const token = String(json['access_token']);
  const session = await TestSession.open(sandbox.serverUrl, token);
  const result = await session.result('tools/call', { name: 'upstream_profile' });
  return JSON.stringify(result);
}

/**
 * The attacker begins a login of his own, allows it, and keeps the address of the upstream to himself, to have
 * it opened in the browser of somebody else.
 */
export async function preparedTrap(
  attacker: Program,
): Promise<{ readonly tab: Tab; readonly trap: string; readonly login: URL }> {
  const tab = new Tab();
  await tab.open(attacker.link);
  await tab.press('account', 'bob');
  const login = tab.url;
  if (tab.status === 200) await tab.press('decision', 'allow');
  return { tab, trap: tab.headers.get('location') ?? '', login };
}
