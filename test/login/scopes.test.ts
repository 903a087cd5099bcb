import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnIssuer } from '../support/flows/own-issuer.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type WantedLogin } from '../support/flows/scene.js';

/** What the server challenges and lists, what its authorization server lists, and what must be asked for. */
interface Case {
  readonly rule: string;
  readonly challenged?: string;
  readonly listed?: readonly string[];
  readonly atIssuer?: readonly string[];
  readonly grants?: readonly string[];
  readonly own?: readonly string[];
  readonly asked: string | null;
}

const cases: readonly Case[] = [
  { rule: '[R-5.4a][R-4.7a]', challenged: 'outside', listed: ['a', 'b'], asked: 'outside' },
  { rule: '[R-5.4a][R-4.7a]', challenged: 'a b c', listed: ['a'], asked: 'a b c' },
  { rule: '[R-5.4a]', asked: null },
  { rule: '[R-5.4a][A-26]', listed: [], asked: null },
  { rule: '[A-26]', challenged: 'a b', listed: ['a', 'b', 'admin'], own: ['a'], asked: 'a' },
  { rule: '[Q-6.20][R-5.4a]', challenged: 'a', atIssuer: ['offline_access'], asked: 'a offline_access' },
  { rule: '[R-5.4a]', atIssuer: ['offline_access'], asked: null },
  { rule: '[R-5.4a]', challenged: 'a', atIssuer: ['offline_access'], grants: ['authorization_code'], asked: 'a' },
];

function arrange(own: OwnScene, { challenged, listed, atIssuer, grants }: Case): void {
  own.server.challenge = challenged === undefined ? 'Bearer realm="own"' : `Bearer realm="own", scope="${challenged}"`;
  own.server.publish({
    authorization_servers: [own.issuer.issuer],
    ...(listed === undefined ? {} : { scopes_supported: listed }),
  });
  own.issuer.metadata = { ...own.issuer.metadata, scopes_supported: atIssuer, grant_types_supported: grants };
}

for (const each of cases) {
  const { rule, asked, ...given } = each;
  const told = JSON.stringify(given);
  test(`${rule} ${told}: asked for ${asked === null ? 'without a scope parameter' : `"${asked}"`}`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    arrange(own, each);
    const login = await scene.login({ server: own.server.url, scopes: each.own });
    assert.equal(own.issuer.authorizations[0]?.get('scope') ?? null, asked);
    assert.equal(own.issuer.authorizations[0]?.has('scope'), asked !== null);
    assert.deepEqual(login.scopes, asked === null ? [] : asked.split(' '));
    const consent = asked?.includes('offline_access') ? 'consent' : null;
    assert.equal(own.issuer.authorizations[0]?.get('prompt') ?? null, consent);
  });
}

test('[Q-6.14][R-4.7a][R-2.1c] a challenged scope outside scopes_supported is granted, and works at the sandbox', async () => {
  await using own = await openOwnScene();
  await using scene = await openScene({ otherResources: [own.server.url] });
  own.server.challenge = 'Bearer scope="notes:write"';
  own.server.publish({ authorization_servers: [scene.sandbox.issuer], scopes_supported: ['mcp:basic'] });
  const login = await scene.login({ server: own.server.url });
  assert.ok(login.scopes.includes('notes:write') && !login.scopes.includes('mcp:basic'), login.scopes.join(' '));
});

test('[A-26] what is asked for is shown before the browser, with server and authorization server', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.publish({ authorization_servers: [own.issuer.issuer], scopes_supported: ['admin', 'a'] });
  await scene.login({ server: own.server.url });
  const told = scene.ports.told.join('\n');
  for (const part of [own.server.url, own.issuer.issuer, 'admin a']) assert.ok(told.includes(part), told);
});

test('[R-5.6a] a login that is made again asks for the scopes it had, by --scope or a step-up, unless --scope says otherwise', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.challenge = 'Bearer scope="basic"';
  const asked = async (change: Partial<WantedLogin> = {}) => {
    const { askedScopes } = await scene.login({ server: own.server.url, ...change });
    return [own.issuer.authorizations.at(-1)?.get('scope'), askedScopes?.join(' ')];
  };
  assert.deepEqual(await asked(), ['basic', undefined]);
  assert.deepEqual(await asked({ heldScopes: ['basic'], scopes: ['write'] }), ['basic write', undefined]);
  own.server.challenge = 'Bearer scope="basic new"';
  assert.deepEqual(await asked(), ['basic write new', undefined], 'what the server asks for now joins them');
  assert.deepEqual(await asked({ scopes: ['read'] }), ['read', 'read']);
  assert.deepEqual(await asked(), ['read', 'read'], 'who chose gets no more by logging in again');
  assert.deepEqual(await asked({ heldScopes: ['read'], scopes: ['write'] }), ['read write', 'read write']);
  assert.deepEqual(await asked(), ['read write', 'read write']);
  // Another authorization server may not know them.
  await using other = await startOwnIssuer();
  own.server.publish({ authorization_servers: [own.issuer.issuer, other.issuer] });
  const { askedScopes } = await scene.login({ server: own.server.url, issuer: other.issuer });
  assert.deepEqual([other.authorizations[0]?.get('scope'), askedScopes], ['basic new', undefined]);
});

test('[A-77] scopes that blow up the authorization request: refused before anything is opened, exit 5', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.challenge = `Bearer scope="${':'.repeat(3_900)}"`;
  const failure = await scene.loginFails('request_too_long', { server: own.server.url });
  assert.equal(failure.exit, 5);
  assert.match(failure.remedy, /--scope/);
  assert.deepEqual([scene.ports.opened, own.issuer.authorizations], [[], []]);
});

test('refused as no scope was asked for: the whole line with --scope, and which there are', async () => {
  for (const [error, said, atIssuer, remedy] of [
    // oidc-provider before a server that names no scopes
    ['access_denied', 'no scope was granted', ['openid', 'offline_access', 'a', 'b'], 'SCOPE (a, b)'],
    ['invalid_scope', 'scope is required', ['openid', 'a'], 'a'],
    ['invalid_scope', '', [], 'SCOPE'],
  ] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    arrange(own, { rule: '', atIssuer, asked: null });
    own.issuer.onAuthorization = (response) => {
      response.delete('code');
      response.set('error', error);
      response.set('error_description', said);
    };
    const server = own.server.url;
    const given = [{ text: '--client-name Me', yieldsTo: [] }];
    const failure = await scene.loginFails('invalid_scope', { server, given });
    const [scope, list] = remedy.split(' (');
    const listed = list === undefined ? '' : ` It knows ${list.slice(0, -1)}.`;
    assert.equal(
      failure.remedy,
      `No scope was asked for.${listed} Ask for one: postern login ${server} --client-name Me --scope ${scope}`,
    );
    own.issuer.onToken = () => [400, { error: 'invalid_scope', error_description: said }];
    own.issuer.onAuthorization = () => undefined;
    assert.equal((await scene.loginFails('invalid_scope', { server, given })).remedy, failure.remedy);
    // Whoever asked for some has to look at those.
    const other = await scene.loginFails('invalid_scope', { server, scopes: ['x'] });
    assert.match(other.remedy, /does not know a scope that was asked for/);
  }
});
