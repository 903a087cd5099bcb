import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { copyOf, openScene, type Scene, sceneAt } from '../support/flows/scene.js';
import { openMachine } from '../support/machine.js';
import { walkLogin } from '../support/product.js';

/** Most tests use one sandbox, and one machine that is logged in there: each brings its fault, and no failed login changes anything. */
const known = await openScene();
const earlier = await known.login();
after(() => known[Symbol.asyncDispose]());

const keptNow = async ({ ports }: Scene = known) => ({
  logins: JSON.stringify((await ports.index.read()).logins),
  item: (await ports.store.read(earlier.key))?.reveal(),
});

/** The failure of one more login there; the earlier one must be as it was. */
async function failsWith(fault: string, code: string) {
  known.sandbox.setFaults([fault]);
  const before = await keptNow();
  const { tokenRequests } = known.sandbox.stats;
  const { exit, message } = await known.loginFails(code);
  assert.deepEqual(await keptNow(), before);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may reach a message
  assert.doesNotMatch(message, /[\u0000-\u001f\u007f-\u009f\u202e]/);
  return { exit, redeemed: known.sandbox.stats.tokenRequests - tokenRequests };
}

type Case = readonly [fault: string, code: string, exit: number, shows: string];

const registration: readonly Case[] = [
  ['registration-evil-redirect', 'registration_unusable', 5, '[A-52]'],
  ['registration-no-id', 'registration_unusable', 5, '[A-51]'],
  ['registration-expired-secret', 'registration_unusable', 5, '[A-61]'],
  ['registration-redirect', 'redirect_refused', 5, '[A-54]'],
  ['registration-error-html', 'registration_refused', 4, '[A-55]'],
];

for (const [fault, code, exit, shows] of registration) {
  test(`${shows} ${fault}: ${code}, exit ${exit}, no browser, nothing kept`, async () => {
    await using scene = await sceneAt(known.sandbox);
    known.sandbox.setFaults([fault]);
    const failure = await scene.loginFails(code);
    assert.equal(failure.exit, exit);
    assert.deepEqual(scene.ports.opened, []);
    assert.deepEqual(await scene.ports.index.read(), { version: 1, logins: [], registrations: [] });
  });
}

test('[A-51] a client secret that no header could carry is not taken: no authorization request, nothing kept', async () => {
  for (const secret of ['a\nb', 'x'.repeat(4_097)]) {
    await using own = await openOwnScene();
    await using machine = await openMachine();
    own.issuer.onRegistration = ({ redirect_uris }) => [
      201,
      { client_id: 'c', client_secret: secret, redirect_uris, token_endpoint_auth_method: 'client_secret_basic' },
    ];
    const { code, stderr } = await machine.run(['login', own.server.url, '--json']);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    assert.deepEqual(
      [code, error.code, own.issuer.authorizations],
      [5, 'registration_unusable', []],
      JSON.stringify(secret),
    );
    assert.deepEqual(JSON.parse((await machine.run(['status', '--json'])).stdout).logins, []);
  }
});

const answers: readonly Case[] = [
  ['callback-wrong-iss', 'issuer_mismatch', 5, '[A-36][A-89]'],
  ['callback-missing-iss', 'issuer_mismatch', 5, '[A-90]'],
  ['callback-iss-slash', 'issuer_mismatch', 5, '[A-91]'],
  ['callback-code-and-error', 'callback_unusable', 5, '[A-88]'],
  ['callback-bad-code', 'callback_unusable', 5, '[A-94]'],
  ['callback-hostile-error', 'authorization_refused', 4, '[A-95][A-96]'],
];

for (const [fault, code, exit, shows] of answers) {
  test(`${shows} ${fault}: ${code}, exit ${exit}, nothing redeemed or kept`, async () => {
    assert.deepEqual(await failsWith(fault, code), { exit, redeemed: 0 });
  });
}

for (const [fault, shows] of [
  ['callback-no-state', '[A-85][R-5.8e]'],
  ['callback-empty-state', '[A-85]'],
  ['callback-wrong-state', '[A-84][R-5.8e]'],
] as const) {
  test(`${shows} ${fault}: a response without our state does not end the wait`, async () => {
    known.sandbox.setFaults([fault]);
    const over = new AbortController();
    const browse = async (url: string) => {
      const page = await walkLogin(url);
      // Only an answer that is taken leads to a page of its own.
      over.abort(page.status === 400 ? new Error('came, and was ignored') : undefined);
    };
    await using scene = await copyOf(known, { browse });
    const { tokenRequests } = scene.sandbox.stats;
    await assert.rejects(scene.login({ signal: over.signal }), /came, and was ignored/);
    assert.equal(scene.sandbox.stats.tokenRequests, tokenRequests);
    assert.deepEqual(await keptNow(scene), await keptNow());
  });
}

for (const [fault, shows] of [
  ['callback-error-no-state', '[A-86][R-5.8e]'],
  ['callback-stray-code', '[A-84]'],
] as const) {
  test(`${shows} ${fault}: the stray response is noted in the journal, and the real one that follows is taken`, async () => {
    const notes = () => known.ports.journal.steps.filter(({ name }) => name === 'callback').length;
    const before = notes();
    known.sandbox.setFaults([fault]);
    await known.login({ account: fault });
    assert.equal(notes(), before + 1);
    known.sandbox.setFaults([]);
    await known.login({ account: fault });
    assert.equal(notes(), before + 1, 'nothing is noted where nothing was ignored');
  });
}

const tokens: readonly Case[] = [
  ['callback-wrong-code', 'invalid_grant', 4, '[A-92]'],
  ['token-type-mac', 'token_type_unusable', 5, '[A-116]'],
  ['token-missing', 'token_unusable', 5, '[A-117]'],
  ['token-bad-chars', 'token_unusable', 5, '[A-118]'],
  ['token-huge', 'too_large', 5, '[A-119]'],
  ['token-refresh-empty', 'token_unusable', 5, '[A-125]'],
  ['token-scope-array', 'token_unusable', 5, '[A-124]'],
  ['token-html', 'token_unusable', 5, '[A-121]'],
  ['token-duplicate-keys', 'token_unusable', 5, '[A-121]'],
  ['token-error-200', 'invalid_grant', 4, '[A-122]'],
  ['token-bomb', 'too_large', 5, '[A-120][A-253]'],
  ['token-redirect-302-elsewhere', 'redirect_refused', 5, '[A-126]'],
  ['token-429', 'token_endpoint_failed', 6, '[A-132]'],
  ['token-500', 'token_endpoint_failed', 6, '[A-122]'],
  ['token-hostile-error', 'invalid_grant', 4, '[A-128]'],
];

for (const [fault, code, exit, shows] of tokens) {
  test(`${shows} ${fault}: ${code}, exit ${exit}, redeemed once, nothing kept, an earlier login as it was`, async () => {
    assert.deepEqual(await failsWith(fault, code), { exit, redeemed: 1 });
  });
}

for (const [fault, shows] of [
  ['token-lowercase-type', '[A-116]'],
  ['token-expires-string', '[A-123]'],
  ['token-expires-huge', '[A-123][A-150]'],
  ['token-expires-missing', '[A-123]'],
  ['token-scope-narrower', '[A-124]'],
  ['token-scope-wider', '[A-124]'],
  ['token-extra', '[A-127][A-133]'],
  ['registration-secret-with-none', '[A-53]'],
] as const) {
  test(`${shows} ${fault}: taken, within bounds`, async () => {
    await using scene = await sceneAt(known.sandbox);
    known.sandbox.setFaults([fault]);
    const { tokenRequests } = known.sandbox.stats;
    const record = await scene.login();
    const month = 30 * 24 * 3600 * 1000;
    assert.ok(record.expiresAt === null || record.expiresAt <= Date.now() + month);
    assert.equal(known.sandbox.stats.tokenRequests, tokenRequests + 1);
  });
}

test('[A-87] the person says no: denied, exit 4, and an earlier login is as it was', async () => {
  known.sandbox.setFaults([]);
  await using scene = await copyOf(known, { walk: { decision: 'deny' } });
  const failure = await scene.loginFails('denied');
  assert.equal(failure.exit, 4);
  assert.deepEqual(await keptNow(scene), await keptNow());
});
