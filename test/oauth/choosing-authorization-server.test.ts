import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import type { FlowOptions } from '../support/flow-ports.js';
import { type OwnIssuer, startOwnIssuer } from '../support/flows/own-issuer.js';
import { type OwnServer, startOwnServer } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';

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
    issuer: `${offer.issuers[0].issuer}/`,
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
