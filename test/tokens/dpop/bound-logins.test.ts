import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { encodeCredential } from '../../../src/stores/credential-item.js';
import { proveBare } from '../../../src/tokens/credential-target.js';
import { readCredential } from '../../../src/tokens/read-credential.js';
import { atServer, callTool, freshToken } from '../../support/flows/calls.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { loggedInOnce, openScene, type Scene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { type SandboxOptions, Secret } from '../../support/product.js';

const required: SandboxOptions = { dpop: 'required' };
const boundBefore = loggedInOnce(required);
const boundByChoice = loggedInOnce({ dpop: 'offered' });
const asked = (scene: Scene, path: string) => scene.sandbox.requests.filter((request) => request.path === path);
const claimsOf = (proof: unknown) => JSON.parse(Buffer.from(String(proof).split('.')[1] ?? '', 'base64url').toString());
const echo = (scene: Scene, login: Awaited<ReturnType<Scene['login']>>) =>
  callTool(scene, login, 'echo', { text: 'x' });

/** Of the key that a proof was made with (RFC 7638). */
function thumbprintIn(proof: string): string {
  const { crv, kty, x, y } = JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()).jwk;
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** What the protected server was asked with a token. */
const proven = (scene: Scene) => atServer(scene).filter(({ headers }) => headers['authorization'] !== undefined);

test('a login at a server that takes bound tokens alone: a key of its own, named at the login page, and proofs everywhere', async () => {
  await using scene = await openScene(required);
  const login = await scene.login();
  await echo(scene, login);
  assert.equal(login.dpop, 'bound');
  const { dpopKey, dpopRequired } = await readCredential(scene.ports, login);
  assert.ok(dpopKey !== undefined && dpopRequired === true);
  const page = new Map(asked(scene, '/authorize')[0]?.params);
  assert.match(page.get('dpop_jkt') ?? '', /^[\w-]{43}$/);
  const [redeemed] = asked(scene, '/token');
  assert.deepEqual(
    [claimsOf(redeemed?.headers['dpop']).htm, claimsOf(redeemed?.headers['dpop']).htu],
    ['POST', `${scene.sandbox.issuer}/token`],
  );
  const ids = proven(scene).map(({ method, headers }) => {
    assert.match(String(headers['authorization']), /^DPoP .+/);
    const { htm, htu, jti } = claimsOf(headers['dpop']);
    assert.deepEqual([htm, htu], [method, scene.sandbox.serverUrl]);
    return jti;
  });
  assert.ok(ids.length > 1 && new Set(ids).size === ids.length);
});

test('where tokens are bound only on request, the login is bound, too, and --no-dpop has a Bearer token for good', async () => {
  await using scene = await openScene({ dpop: 'offered' });
  const bound = await scene.login();
  assert.equal(bound.dpop, 'bound');
  const bare = await scene.login({ dpop: 'never' });
  assert.equal(bare.dpop, 'never');
  const again = await scene.login();
  assert.equal(again.dpop, 'never');
  await echo(scene, again);
  assert.match(String(proven(scene).at(-1)?.headers['authorization']), /^Bearer /);
  assert.equal((await scene.login({ dpop: 'always' })).dpop, 'demanded');
});

test('nonces of both servers: one more request each, then the latest goes with each proof', async () => {
  await using scene = await openScene({ ...required, dpopNonce: true });
  const login = await scene.login();
  await echo(scene, login);
  assert.equal(asked(scene, '/token').length, 2);
  const statuses = proven(scene).map(({ headers }) => claimsOf(headers['dpop']).nonce !== undefined);
  assert.equal(statuses.filter((has) => !has).length, 1);
  assert.equal(scene.sandbox.stats.refreshes, 0);
});

test('a refresh has a proof by the same key, with a nonce where that is wanted; a new login has another key', async () => {
  await using scene = await openScene({ ...required, dpopNonce: true, accessTokenSeconds: 30 });
  const login = await scene.login();
  const before = await readCredential(scene.ports, login);
  const token = await freshToken(scene, login);
  assert.notEqual(token.accessToken.reveal(), before.accessToken.reveal());
  assert.equal(token.dpopKey?.reveal(), before.dpopKey?.reveal());
  await echo(scene, login);
  const after = await readCredential(scene.ports, await scene.login());
  assert.notEqual(after.dpopKey?.reveal(), before.dpopKey?.reveal());
});

for (const [what, fault] of [
  ['a nonce that is good once is taken from each response', 'dpop-nonce-each-time'],
  ['a server whose clock is ten minutes ahead: its own time is taken', 'dpop-clock-off'],
] as const) {
  test(`${what}, and costs no refresh`, async () => {
    await using scene = await boundBefore();
    scene.sandbox.setFaults([fault]);
    for (let at = 0; at < 3; at += 1) await echo(scene, scene.held);
    assert.equal(scene.sandbox.stats.refreshes, 0);
  });
}

for (const fault of ['dpop-nonce-never', 'dpop-nonce-absent', 'dpop-proof-refused']) {
  test(`${fault}: one more try at most, no refresh, and it is said`, async () => {
    await using scene = await boundBefore();
    scene.sandbox.setFaults([fault]);
    const before = proven(scene).length;
    const failure = await failureOf(echo(scene, scene.held), 'dpop_proof_refused');
    assert.ok(proven(scene).length - before <= 2);
    assert.equal(scene.sandbox.stats.refreshes, 0);
    assert.match(failure.message, /RFC 9449/);
  });
}

for (const fault of ['dpop-token-nonce-never', 'dpop-token-proof-refused']) {
  test(`${fault}: the token endpoint is asked twice at most, and it is said`, async () => {
    await using scene = await openScene({ ...required, faults: [fault] });
    await scene.loginFails('dpop_proof_refused');
    assert.ok(asked(scene, '/token').length <= 2);
  });
}

test('[A-116] a Bearer token in return for a proof is thrown away where bound ones are demanded, else it is told', async () => {
  await using demanding = await openScene({ ...required, faults: ['dpop-token-bearer'] });
  await demanding.loginFails('dpop_downgraded');
  assert.equal((await demanding.ports.index.read()).logins.length, 0);
  await using scene = await openScene({ dpop: 'offered', faults: ['dpop-token-bearer'] });
  await scene.loginFails('dpop_downgraded', { dpop: 'always' });
  assert.equal((await scene.login()).dpop, undefined);
});

test('[A-116] a token that says it is bound to another key is thrown away: at the login and at a refresh, and nothing of it stays sealed', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, dpop_signing_alg_values_supported: ['ES256'] };
  const boundTo = (jkt: string) => {
    const claims = Buffer.from(JSON.stringify({ sub: 'a', cnf: { jkt } })).toString('base64url');
    const tokens = { access_token: `eyJhbGciOiJub25lIn0.${claims}.c2ln`, refresh_token: 'r', expires_in: 300 };
    return () => [200, { ...tokens, token_type: 'DPoP' }] as const;
  };
  own.issuer.onToken = boundTo('A'.repeat(43));
  const failed = await scene.loginFails('token_unusable', { server: own.server.url, dpop: 'always' });
  assert.match(failed.message, /its access token is bound to another key than this login’s \(cnf\.jkt\)/);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
  own.issuer.onToken = ({ dpop }) => boundTo(thumbprintIn(String(dpop)))();
  const login = await scene.login({ server: own.server.url, dpop: 'always' });
  own.issuer.onToken = boundTo('A'.repeat(43));
  const { accessToken } = await readCredential(scene.ports, login);
  await failureOf(freshToken(scene, login, accessToken), 'token_unusable');
  assert.equal(await scene.ports.recovery.isWaiting(login.key), false);
});

test('a login that is bound is not made a Bearer login: not by a refresh, and not by metadata that has changed', async () => {
  await using scene = await openScene({ dpop: 'offered' });
  const login = await scene.login();
  scene.sandbox.setFaults(['dpop-not-announced']);
  const failure = await scene.loginFails('dpop_downgraded');
  assert.match(failure.remedy, /--no-dpop/);
  scene.sandbox.setFaults(['dpop-token-bearer']);
  scene.ports.advance(301_000);
  await failureOf(echo(scene, login), 'dpop_downgraded');
  assert.ok((await readCredential(scene.ports, login)).dpopKey !== undefined);
});

const schemes = (scene: Scene, from = 0) =>
  proven(scene)
    .slice(from)
    .map(({ headers }) => String(headers['authorization']).split(' ')[0]);

/** The pairs that are out there: the authorization server announces DPoP, the protected server knows nothing of it. */
const silent = ['dpop-unknown-to-server'];
/** The same, with a 401 that says nothing. */
const mute = [...silent, 'challenge-none'];

test('the authorization server announces DPoP, the server does not ask for it: a plain login is a Bearer login, and its token can be handed out', async () => {
  await using scene = await openScene({ dpop: 'offered', faults: silent });
  const login = await scene.login();
  await echo(scene, login);
  assert.equal(login.dpop, undefined);
  assert.deepEqual(new Set(schemes(scene)), new Set(['Bearer']));
  assert.ok(atServer(scene).every(({ status, headers }) => headers['authorization'] === undefined || status < 300));
  proveBare(login, 'postern token', await readCredential(scene.ports, login));
});

test('a server that only names DPoP in its 401 asks for it', async () => {
  await using scene = await openScene({ dpop: 'offered', faults: ['dpop-not-in-metadata'] });
  const login = await scene.login();
  assert.equal(login.dpop, 'bound');
  await echo(scene, login);
  assert.deepEqual(new Set(schemes(scene)), new Set(['DPoP']));
});

for (const faults of [silent, mute]) {
  test(`a bound login at a server that takes Bearer tokens only (${faults.join(', ')}): one refusal, once for all commands; its next login is a Bearer login`, async () => {
    await using scene = await boundByChoice();
    const { held: login } = scene;
    scene.sandbox.setFaults(faults);
    const before = proven(scene).length;
    await echo(scene, login);
    const [first, ...others] = schemes(scene, before);
    assert.deepEqual([first, new Set(others)], ['DPoP', new Set(['Bearer'])]);
    const [kept] = (await scene.ports.index.read()).logins;
    assert.equal(kept?.schemeTaken, 'bearer');
    const then = proven(scene).length;
    await echo(scene, kept ?? login);
    assert.deepEqual(new Set(schemes(scene, then)), new Set(['Bearer']));
    assert.equal(scene.sandbox.stats.refreshes, 0);
    assert.equal((await scene.login()).dpop, undefined);
  });
}

test('a server that takes proofs again gets them, whatever was kept', async () => {
  await using scene = await boundByChoice();
  scene.sandbox.setFaults(silent);
  await echo(scene, scene.held);
  scene.sandbox.setFaults([]);
  const before = proven(scene).length;
  await echo(scene, scene.held);
  const [first, ...others] = schemes(scene, before);
  assert.deepEqual([first, new Set(others)], ['Bearer', new Set(['DPoP'])]);
  assert.equal((await scene.ports.index.read()).logins[0]?.schemeTaken, undefined);
});

test('a Bearer login at a server that takes bound tokens only: no refresh, and the remedy is the line that makes a bound one', async () => {
  await using scene = await openScene({ dpop: 'required', faults: silent });
  const login = await scene.login();
  scene.sandbox.setFaults([]);
  const failure = await failureOf(echo(scene, login), 'dpop_needed');
  assert.match(failure.remedy, /postern login \S+ --dpop$/);
  assert.equal(scene.sandbox.stats.refreshes, 0);
  await echo(scene, await scene.login({ dpop: 'always' }));
});

test('--dpop at a server that takes Bearer tokens only: refused where it says so, tried once where its 401 says nothing', async () => {
  await using scene = await openScene({ dpop: 'offered', faults: silent });
  const login = await scene.login({ dpop: 'always' });
  const before = proven(scene).length;
  await failureOf(echo(scene, login), 'token_refused');
  assert.deepEqual(new Set(schemes(scene, before)), new Set(['DPoP']));
  scene.sandbox.setFaults(mute);
  const then = proven(scene).length;
  await echo(scene, login);
  const [first, ...others] = schemes(scene, then);
  assert.deepEqual([first, new Set(others)], ['DPoP', new Set(['Bearer'])]);
});

test('a token that has ended is refreshed where a 401 says nothing, and how the server takes it is not forgotten', async () => {
  await using scene = await openScene({ dpop: 'offered' });
  const login = await scene.login();
  const item = await readCredential(scene.ports, login);
  await scene.ports.store.write(login.key, encodeCredential({ ...item, accessToken: new Secret('ended') }));
  scene.sandbox.setFaults(mute);
  await echo(scene, login);
  assert.equal(scene.sandbox.stats.refreshes, 1);
  assert.equal(schemes(scene).at(-1), 'Bearer');
});

test('once a proof was taken, no challenge makes the token go without one', async () => {
  await using scene = await boundByChoice();
  const { held: login } = scene;
  const { createTransport } = await import('../../../src/call/transport.js');
  const signal = new AbortController().signal;
  const transport = createTransport(scene.ports, { login, relogin: undefined, signal });
  const limits = { totalMs: 10_000, headersMs: 10_000, maxBytes: 1024 * 1024 };
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const headers = Object.entries(types);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const send = async () => {
    await using response = await transport.send({ method: 'POST', url: login.server, headers, body, limits, signal });
    return response.status;
  };
  assert.equal(await send(), 200);
  scene.sandbox.setFaults(['dpop-unknown-to-server']);
  await failureOf(send(), 'token_refused');
  assert.ok(proven(scene).every(({ headers: sent }) => String(sent['authorization']).startsWith('DPoP ')));
});

test('a token that does not say what it is bound to is refused by the server, and the refusal is told', async () => {
  await using scene = await openScene({ ...required, faults: ['dpop-binding-lost'] });
  const login = await scene.login();
  await failureOf(echo(scene, login), 'dpop_proof_refused');
});

test('whatever would hand the token out alone says so, and what to use instead; the item decides, whatever the index says', async () => {
  await using scene = await boundBefore();
  const { held } = scene;
  const refusal = (...asked: Parameters<typeof proveBare>) =>
    failureOf(
      Promise.resolve().then(() => proveBare(...asked)),
      'dpop_bound',
    );
  assert.match((await refusal(held, 'postern token')).remedy, /postern proxy/);
  const { schemeTaken: _, dpop, ...unmarked } = held;
  const perhaps = { ...unmarked, ...(dpop && { dpop }), askedScopes: ['a', 'b'] };
  assert.match((await refusal(perhaps, 'x')).remedy, /: postern login \S+ --scope ['"]a b['"] --no-dpop$/);
  await refusal(unmarked, 'postern token', await readCredential(scene.ports, held));
  proveBare(unmarked, 'postern token');
});
