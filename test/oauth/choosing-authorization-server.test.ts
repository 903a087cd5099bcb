import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLook } from '../../src/core/text/look.js';
import { logout } from '../../src/login/logout/logout.js';
import { loginLines, loginStatus } from '../../src/login/status/login-status.js';
import { findProvider } from '../../src/oauth/company/find-provider.js';
import type { FlowOptions } from '../support/flow-ports.js';
import { type OwnIssuer, startOwnIssuer } from '../support/flows/own-issuer.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { type OwnServer, startOwnServer } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

interface Offer extends AsyncDisposable {
  readonly scene: Scene;
  readonly server: OwnServer;
  /** In the order in which the server names them. */
  readonly issuers: readonly [OwnIssuer, OwnIssuer, OwnIssuer];
}

/** A server that names three authorization servers. */
async function openOffer(flow: Partial<FlowOptions> = {}): Promise<Offer> {
  const scene = await openScene({}, flow);
  const server = await startOwnServer();
  const issuers = await Promise.all([startOwnIssuer(), startOwnIssuer(), startOwnIssuer()]);
  server.publish({ authorization_servers: issuers.map(({ issuer }) => issuer) });
  return {
    scene,
    server,
    issuers,
    [Symbol.asyncDispose]: async () => {
      for (const each of [scene, server, ...issuers]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Which of them were asked anything, by place. */
const asked = ({ issuers }: Offer) => issuers.flatMap(({ requests }, at) => (requests.length > 0 ? [at] : []));

test('[R-2.1b] nothing speaks for another: the first is taken in a script, and the others hear nothing', async () => {
  await using offer = await openOffer();
  const login = await offer.scene.login({ server: offer.server.url });
  assert.equal(login.issuer, offer.issuers[0].issuer);
  assert.deepEqual(asked(offer), [0]);
});

test('[R-2.1b] a person at a terminal picks one', async () => {
  await using offer = await openOffer({ interactive: true, choice: 2 });
  const login = await offer.scene.login({ server: offer.server.url });
  assert.equal(login.issuer, offer.issuers[2].issuer);
  assert.deepEqual(asked(offer), [2]);
});

test('[R-2.1b] the one with another login here comes before the first, and nobody is asked', async () => {
  await using offer = await openOffer({ interactive: true, choice: 2 });
  await using another = await startOwnServer();
  another.publish({ authorization_servers: [offer.issuers[1].issuer] });
  await offer.scene.login({ server: another.url });
  const login = await offer.scene.login({ server: offer.server.url });
  assert.equal(login.issuer, offer.issuers[1].issuer);
});

test('[R-2.1b] the one with a configured client comes before one that is only logged in to', async () => {
  await using offer = await openOffer();
  await using another = await startOwnServer();
  another.publish({ authorization_servers: [offer.issuers[1].issuer] });
  await offer.scene.login({ server: another.url });
  const { issuer } = offer.issuers[2];
  const clients = [{ clientId: 'configured', secret: undefined, issuer, redirectUri: undefined }];
  const login = await offer.scene.login({ server: offer.server.url, clients });
  assert.deepEqual([login.issuer, login.clientId], [issuer, 'configured']);
});

test('[R-2.1b] the choice is remembered: a later login goes there again, whatever else speaks for another', async () => {
  await using offer = await openOffer({ interactive: true, choice: 1 });
  const wish = { server: offer.server.url };
  await offer.scene.login(wish);
  const clients = [{ clientId: 'x', secret: undefined, issuer: offer.issuers[0].issuer, redirectUri: undefined }];
  const again = await offer.scene.login({ ...wish, clients });
  assert.equal(again.issuer, offer.issuers[1].issuer);
  assert.deepEqual(asked(offer), [1]);
});

test('[R-2.1b] the option fixes it, over the choice that was made before; the old credential goes', async () => {
  await using offer = await openOffer();
  const wish = { server: offer.server.url };
  const first = await offer.scene.login(wish);
  const { issuer } = offer.issuers[2];
  const second = await offer.scene.login({ ...wish, issuer });
  assert.equal(second.issuer, issuer);
  const { logins } = await offer.scene.ports.index.read();
  assert.deepEqual(
    logins.map(({ key }) => key),
    [second.key],
  );
  assert.equal(await offer.scene.ports.store.read(first.key), undefined);
  assert.equal((await offer.scene.login(wish)).issuer, issuer, 'and is remembered in its turn');
});

test('[R-2.1b] the option names one that the server does not: exit 2, those it names are listed, none is asked', async () => {
  await using offer = await openOffer();
  const failure = await offer.scene.loginFails('authorization_server_unknown', {
    server: offer.server.url,
    issuer: `${offer.issuers[0].issuer}/t1`,
  });
  assert.equal(failure.exit, 2);
  for (const { issuer } of offer.issuers) assert.ok(failure.remedy.includes(issuer));
  assert.deepEqual(asked(offer), []);
});

test('[A-22] the server adds another before the one in use: the login stays where it is', async () => {
  await using offer = await openOffer();
  const wish = { server: offer.server.url };
  offer.server.publish({ authorization_servers: [offer.issuers[1].issuer] });
  await offer.scene.login(wish);
  offer.server.publish({ authorization_servers: [offer.issuers[0].issuer, offer.issuers[1].issuer] });
  assert.equal((await offer.scene.login(wish)).issuer, offer.issuers[1].issuer);
  assert.deepEqual(asked(offer), [1]);
});

test('[R-2.1b][R-4.6b] the one with a client kept from an earlier login comes before the first, after the log-out too', async () => {
  await using offer = await openOffer();
  await using another = await startOwnServer();
  another.publish({ authorization_servers: [offer.issuers[1].issuer] });
  const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };
  const first = await offer.scene.login({ server: another.url, client });
  await logout(offer.scene.ports, { login: first, force: false, signal: new AbortController().signal });
  const login = await offer.scene.login({ server: offer.server.url });
  assert.deepEqual([login.issuer, login.clientId], [offer.issuers[1].issuer, 'by-hand']);
});

/** A server that names its authorization server by `named`, which calls itself `own`: paths, both. */
async function openTwoSpellings(named: string, own: string, documentPath: string) {
  const scene = await openOwnScene();
  const { issuer: authorizationServer, server } = scene;
  const origin = authorizationServer.issuer;
  authorizationServer.metadata = { ...authorizationServer.metadata, issuer: origin + own };
  authorizationServer.documentPath = documentPath;
  authorizationServer.onAuthorization = (answer) => answer.set('iss', origin + own);
  server.publish({ authorization_servers: [origin + named] });
  return { ...scene, origin, wish: { server: server.url } };
}

const wellKnown = '/.well-known/oauth-authorization-server';

for (const [named, own] of [
  ['/', ''],
  ['', '/'],
] as const) {
  test(`an issuer without a path named as “${named}” calls itself “${own}”: one URI (RFC 3986 section 6.2.3), taken as its metadata spell it`, async () => {
    await using scene = await openScene();
    await using two = await openTwoSpellings(named, own, wellKnown);
    const login = await scene.login(two.wish);
    assert.equal(login.issuer, two.origin + own);
    const shown = loginLines(loginStatus(login, Date.now()), Date.now(), plainLook).join('\n');
    assert.ok(shown.includes(two.origin + named) && shown.includes(two.origin + own), shown);
    for (const spelled of [two.origin + named, two.origin + own]) {
      const clients = [{ clientId: 'by-hand', secret: undefined, issuer: spelled, redirectUri: undefined }];
      const again = await scene.login({ ...two.wish, clients, issuer: spelled });
      assert.deepEqual([again.clientId, again.issuer], ['by-hand', login.issuer], 'its client is bound to that URI');
    }
  });
}

test('[A-89][A-91] iss is compared with the spelling of the metadata alone, not with that of the server', async () => {
  await using scene = await openScene();
  await using two = await openTwoSpellings('/', '', wellKnown);
  two.issuer.onAuthorization = (answer) => answer.set('iss', `${two.origin}/`);
  await scene.loginFails('issuer_mismatch', two.wish);
  assert.equal(two.issuer.authorizations.length, 1);
  assert.equal(two.issuer.forms.length, 0, 'nothing is redeemed');
});

for (const [named, own, documentPath] of [
  ['/t1/', '/t1', `${wellKnown}/t1`],
  ['/t1', '/t1/', `${wellKnown}/t1`],
  ['/t1/', '/t1', '/.well-known/openid-configuration/t1'],
  ['/t1', '/t1/', '/t1/.well-known/openid-configuration'],
] as const) {
  test(`[A-32] “${named}” that calls itself “${own}” at ${documentPath}: refused, and taken by a person’s word alone`, async () => {
    await using scene = await openScene();
    await using two = await openTwoSpellings(named, own, documentPath);
    const refused = await scene.loginFails('issuer_mismatch', two.wish);
    const line = `postern login ${two.server.url} --authorization-server ${two.origin}${own}`;
    assert.ok(refused.remedy.endsWith(`run: ${line}`), refused.remedy);
    const unread = await scene.loginFails('issuer_mismatch', { ...two.wish, issuer: two.origin + named });
    assert.equal(unread.remedy, refused.remedy, 'the spelling that is not its own says nothing');
    assert.deepEqual([scene.ports.opened, two.issuer.registrations], [[], []]);
    const login = await scene.login({ ...two.wish, issuer: two.origin + own });
    assert.deepEqual([login.issuer, login.warnings?.length], [two.origin + own, 1]);
    const again = await scene.login({ ...two.wish, heldScopes: login.scopes, scopes: ['notes:read'] });
    assert.equal(again.issuer, login.issuer, 'kept: a step-up goes there, too');
    assert.equal(scene.ports.told.filter((told) => told.includes('calls itself')).length, 2, 'and told each time');
  });
}

test('[A-32] at a terminal the person is asked, with both spellings, and whatever is no yes is a no', async () => {
  for (const typed of ['', 'y'] as const) {
    await using scene = await openScene({}, { interactive: true, typed: [typed] });
    await using two = await openTwoSpellings('/t1/', '/t1', `${wellKnown}/t1`);
    if (typed === '') await scene.loginFails('issuer_mismatch', two.wish);
    else assert.equal((await scene.login(two.wish)).issuer, `${two.origin}/t1`);
    const asked = scene.ports.told.join('\n');
    assert.ok(asked.includes(`${two.origin}/t1/`) && asked.includes(`itself ${two.origin}/t1.`), asked);
    assert.equal(scene.ports.opened.length, typed === '' ? 0 : 1);
  }
});

test('[A-32][A-43] more than one slash at the end is another issuer, and no word takes it', async () => {
  for (const own of ['/t1//', '/T1', '/t1/.']) {
    await using scene = await openScene({}, { interactive: true, typed: ['y', 'y'] });
    await using two = await openTwoSpellings('/t1', own, `${wellKnown}/t1`);
    const refused = await scene.loginFails('issuer_mismatch', two.wish);
    assert.doesNotMatch(refused.remedy, /--authorization-server/);
    await scene.loginFails('authorization_server_unknown', { ...two.wish, issuer: two.origin + own });
    assert.deepEqual(scene.ports.opened, [], own);
  }
});

test('[A-32] a company’s provider is as its person spells it: with another slash nothing is sent, and the spelling is named', async () => {
  await using scene = await openScene();
  await using provider = await startOwnIssuer();
  const { signal } = new AbortController();
  const found = findProvider(scene.ports, { issuer: `${provider.issuer}/`, byBrowser: true, signal });
  const { remedy } = await failureOf(found, 'issuer_mismatch');
  assert.ok(remedy.endsWith(`--idp ${provider.issuer}`), remedy);
});
