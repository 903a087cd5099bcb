import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeDpopKey, publicHalfOf, thumbprintOf } from '../../../src/oauth/dpop/key.js';
import { Proofs, skewOf, usableNonce } from '../../../src/oauth/dpop/proofs.js';
import { ProofVerifier } from '../../../src/sandbox/protected-server/proof-gate.js';
import { anyText, anyUrl } from '../../support/arbitraries.js';
import { Secret } from '../../support/product.js';

const url = 'https://server.example/mcp';
const token = new Secret('an-access-token');
const claimsOf = (proof: Secret) => JSON.parse(Buffer.from(proof.reveal().split('.')[1] ?? '', 'base64url').toString());

async function proofsOf(now = Date.now) {
  const key = await makeDpopKey();
  const thumbprint = await thumbprintOf(key);
  return { key, thumbprint, proofs: new Proofs(key, now, { isRequired: true }) };
}

test('a proof is what a server verifies: type, algorithm, public key, method, address, token, each time another jti', async () => {
  const { proofs, thumbprint, key } = await proofsOf();
  const verifier = new ProofVerifier(Date.now);
  const about = { method: 'POST', url, token: token.reveal(), thumbprint };
  const first = proofs.proof({ method: 'POST', url: `${url}?q=1#f`, token });
  const second = proofs.proof({ method: 'POST', url, token });
  for (const proof of [first, second]) {
    assert.deepEqual(await verifier.verify({ ...about, proofs: [proof.reveal()] }), {
      problem: undefined,
      nonce: undefined,
    });
  }
  assert.notEqual(claimsOf(first).jti, claimsOf(second).jti);
  const { d } = JSON.parse(key.reveal());
  assert.ok(
    !Buffer.from(first.reveal().split('.')[0] ?? '', 'base64url')
      .toString()
      .includes(d),
  );
});

test('a replayed proof, one for another method, address or token, and one of another key are refused', async () => {
  const { proofs, thumbprint } = await proofsOf();
  const verifier = new ProofVerifier(Date.now);
  const about = { method: 'POST', url, token: token.reveal(), thumbprint };
  const problem = async (proof: Secret, change: object = {}) =>
    (await verifier.verify({ ...about, proofs: [proof.reveal()], ...change })).problem;
  const fresh = () => proofs.proof({ method: 'POST', url, token });
  const once = fresh();
  assert.equal(await problem(once), undefined);
  assert.match((await problem(once)) ?? '', /used before/);
  assert.match((await problem(fresh(), { method: 'GET' })) ?? '', /another method/);
  assert.match((await problem(fresh(), { url: `${url}/other` })) ?? '', /another address/);
  assert.match((await problem(fresh(), { token: 'stolen' })) ?? '', /another access token/);
  assert.match((await problem((await proofsOf()).proofs.proof({ method: 'POST', url, token }))) ?? '', /another key/);
  assert.match((await problem(fresh(), { thumbprint: undefined })) ?? '', /another key, or to none/);
  assert.match((await problem(fresh(), { proofs: [] })) ?? '', /no DPoP header/);
});

test('a nonce goes to the origin that gave it, and to no other', async () => {
  const { proofs } = await proofsOf();
  proofs.learn(url, 'of-the-server');
  const nonceFor = (address: string, given?: string) =>
    claimsOf(proofs.proof({ method: 'GET', url: address, token }, given)).nonce;
  assert.equal(nonceFor(`${url}/below`), 'of-the-server');
  assert.equal(nonceFor('https://server.example:8443/mcp'), undefined);
  assert.equal(nonceFor('http://server.example/mcp'), undefined);
  assert.equal(nonceFor('https://other.example/mcp'), undefined);
  assert.equal(nonceFor(url, 'of-this-very-response'), 'of-this-very-response');
  assert.equal(proofs.learn(url, 'with "quotes"'), undefined);
  assert.equal(nonceFor(url), 'of-the-server');
});

test('once a server has told its time, proofs go by that; a clock that agrees, or is absurd, changes nothing', async () => {
  const now = Date.now();
  const { proofs } = await proofsOf(() => now);
  const iat = () => claimsOf(proofs.proof({ method: 'GET', url, token })).iat - Math.floor(now / 1000);
  assert.equal(proofs.learnClock(new Date(now + 2_000).toUTCString()), undefined);
  assert.equal(proofs.learnClock('yesterday'), undefined);
  assert.equal(proofs.learnClock(undefined), undefined);
  assert.equal(proofs.learnClock(new Date(now + 400 * 86_400_000).toUTCString()), undefined);
  assert.equal(iat(), 0);
  proofs.learnClock(new Date(now + 600_000).toUTCString());
  assert.ok(Math.abs(iat() - 600) <= 1);
});

test('whatever the address, htu is its origin and path, without query and fragment', async () => {
  const { proofs } = await proofsOf();
  await fc.assert(
    fc.asyncProperty(anyUrl, async (address) => {
      const { htu } = claimsOf(proofs.proof({ method: 'GET', url: address, token }));
      const { origin, pathname } = new URL(address);
      assert.equal(htu, origin + pathname);
      assert.ok(!/[?#]/.test(htu));
    }),
  );
});

test('only a whole key on P-256 is a key, and only what a JSON string carries bare is a nonce', async () => {
  const whole = JSON.parse((await makeDpopKey()).reveal());
  for (const name of Object.keys(whole)) {
    const { [name]: _, ...less } = whole;
    assert.equal(publicHalfOf(new Secret(JSON.stringify(less))), undefined, name);
  }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      assert.equal(publicHalfOf(new Secret(text)), undefined);
    }),
  );
  fc.assert(
    fc.property(anyText(), (text) => {
      const nonce = usableNonce(text);
      assert.ok(nonce === undefined || (nonce === text && JSON.stringify(text) === `"${text}"`));
    }),
  );
  fc.assert(
    fc.property(fc.string(), fc.nat(), (text, now) => {
      const skew = skewOf(text, now);
      assert.ok(skew === undefined || Number.isSafeInteger(skew));
    }),
  );
});

test('a token endpoint whose clock is another one is asked again by its own time; one that agrees is not', async () => {
  const { proofs } = await proofsOf();
  const refusal = (ms: number) =>
    Response.json(
      { error: 'invalid_dpop_proof' },
      { status: 400, headers: { date: new Date(Date.now() + ms).toUTCString() } },
    );
  assert.equal(await proofs.afterRefusal(refusal(0)), undefined, 'the proof is refused for something else');
  assert.equal(await proofs.afterRefusal(refusal(600_000)), 'invalid_dpop_proof');
  const { iat, ath } = claimsOf(proofs.proof({ method: 'POST', url: 'https://as.example/token' }));
  assert.ok(iat > Date.now() / 1000 + 590 && ath === undefined);
});
