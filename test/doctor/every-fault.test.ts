import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlessAborted } from '../../src/core/time.js';
import { type FindingId, findings } from '../../src/doctor/findings.js';
import { listFaults } from '../../src/sandbox/faults/table.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { type Clock, defaultLimits, walkLogin } from '../support/product.js';
import { foundByExchange, foundOfCompany } from './company-faults.js';
import { examineWhole, inBrowser } from './doctor-world.js';
import { foundPassively } from './passive-faults.js';

/** What each fault is found as that shows when a client registers and a person logs in. */
const found: Readonly<Record<string, FindingId>> = {
  'as-metadata-flips': 'issuer-metadata-unsteady',
  'as-slow': 'issuer-unreachable',
  'registration-evil-redirect': 'registration-invalid',
  'registration-drops-redirect': 'registration-invalid',
  'registration-no-id': 'registration-invalid',
  'registration-bad-id': 'registration-invalid',
  'registration-secret-with-none': 'registration-with-secret',
  'registration-expired-secret': 'registration-invalid',
  'registration-known-names': 'registration-refused',
  'registration-redirect': 'registration-redirected',
  'registration-error-html': 'registration-refused',
  'registration-error-huge': 'registration-failed',
  'registration-localhost-only': 'redirect-refused',
  'registration-fixed-redirect': 'redirect-refused',
  'authorization-localhost-only': 'nobody-answered',
  'resource-refused': 'resource-unknown',
  'resource-renamed': 'resource-unknown',
  'callback-no-state': 'state-not-returned',
  'callback-empty-state': 'state-not-returned',
  'callback-wrong-state': 'state-not-returned',
  'callback-duplicate-state': 'state-not-returned',
  'callback-wrong-iss': 'iss-wrong',
  'callback-iss-slash': 'iss-wrong',
  'callback-missing-iss': 'iss-missing',
  'callback-duplicate-code': 'response-invalid',
  'callback-code-and-error': 'response-invalid',
  'callback-bad-code': 'response-invalid',
  'callback-huge-code': 'response-invalid',
  'callback-wrong-code': 'code-not-redeemed',
  'callback-hostile-error': 'login-refused',
  'token-type-mac': 'token-type-unusable',
  'token-type-missing': 'token-type-unusable',
  'token-type-space': 'token-type-unusable',
  'token-missing': 'token-invalid',
  'token-empty': 'token-invalid',
  'token-array': 'token-invalid',
  'token-bad-chars': 'token-invalid',
  'token-not-ascii': 'token-invalid',
  'token-huge': 'token-endpoint-failed',
  'token-long': 'token-invalid',
  'token-refresh-empty': 'token-invalid',
  'token-refresh-number': 'token-invalid',
  'token-other-audience': 'audience-wrong',
  'token-expires-string': 'lifetime-invalid',
  'token-expires-negative': 'lifetime-invalid',
  'token-expires-huge': 'lifetime-invalid',
  'token-expires-garbage': 'lifetime-invalid',
  'token-scope-narrower': 'scope-narrower',
  'token-scope-wider': 'scope-wider',
  'token-scope-array': 'token-invalid',
  'token-scope-control': 'token-invalid',
  'token-html': 'token-invalid',
  'token-form-encoded': 'token-invalid',
  'token-duplicate-keys': 'token-invalid',
  'token-trailing': 'token-invalid',
  'token-error-200': 'code-not-redeemed',
  'token-slow': 'token-endpoint-failed',
  'token-bomb': 'token-endpoint-failed',
  'token-redirect-307': 'token-endpoint-redirected',
  'token-redirect-302-elsewhere': 'token-endpoint-redirected',
  'token-429': 'token-endpoint-failed',
  'token-500': 'token-endpoint-failed',
  'token-400-empty': 'code-not-redeemed',
  'token-hostile-error': 'code-not-redeemed',
  'refresh-invalid-grant': 'refresh-failed',
  'refresh-invalid-client': 'refresh-failed',
  'refresh-500': 'refresh-failed',
  'refresh-portal': 'refresh-failed',
  'refresh-slow': 'refresh-failed',
  'refresh-no-rotation': 'refresh-not-rotated',
  'revocation-500': 'revocation-failed',
  'revocation-slow': 'revocation-failed',
  'revocation-redirect': 'revocation-failed',
  'server-redirects-elsewhere': 'token-redirected',
  'server-redirects-sibling': 'token-redirected',
  'server-401-always': 'token-refused',
  'server-403-always': 'scope-not-challenged',
  'server-403-treadmill': 'scope-treadmill',
  'server-403-other-server': 'scope-challenge-elsewhere',
  'server-403-plain': 'token-forbidden',
  'server-403-html': 'token-forbidden',
  'server-500-for-token': 'token-breaks-server',
  'server-session-id': 'session-invalid',
  'newer-echoes-discover': 'discover-invalid',
  'newer-no-common-revision': 'revision-unknown',
  'newer-asks-for-list': 'list-asks',
  'newer-broken-marks': 'tool-marks-broken',
  'dpop-clock-off': 'clock-wrong',
  'dpop-binding-lost': 'dpop-binding-missing',
  'dpop-nonce-never': 'dpop-refused-by-server',
  'dpop-nonce-absent': 'dpop-refused-by-server',
  'dpop-proof-refused': 'dpop-refused-by-server',
  'dpop-token-nonce-never': 'dpop-proof-refused',
  'dpop-token-proof-refused': 'dpop-proof-refused',
  'dpop-token-bearer': 'dpop-not-bound',
  'dpop-not-announced': 'dpop-not-offered',
  'dpop-other-algorithm': 'dpop-not-offered',
  'dpop-server-other-algorithm': 'dpop-algorithm-not-taken',
  'pushed-refused': 'request-refused',
  'pushed-redirect': 'request-redirected',
  'pushed-no-uri': 'request-invalid',
};

/** Faults that are nothing above a note, and why. */
const harmless: Readonly<Record<string, string>> = {
  'registration-lenient': 'what differs from the standard is taken by every client that we know of',
  'registration-no-device': 'a login in the browser does not ask for that grant',
  'registration-code-only': 'a login asks for less then, and works; that there is no refresh token is a note',
  'registration-binds-scope': 'a login registers with the scopes that it asks for',
  'registration-no-localhost': 'it is what the standard recommends, and what a login uses',
  'callback-error-no-state':
    'anything may call the callback; what is not of this login is ignored, and the login works',
  'callback-stray-code': 'the same',
  'dpop-unknown-to-server':
    'a login has a Bearer token then: that the authorization server announces DPoP breaks nothing',
  'dpop-not-in-metadata': 'its 401 asks for it, and that is enough',
  'dpop-nonce-each-time': 'each nonce is taken from the response before, as the standard says',
  'token-lowercase-type': 'it is right: the type is compared without regard to case',
  'token-extra': 'members that nobody knows are ignored, as the standard says',
  'token-expires-missing': 'expires_in is recommended, and may be left out',
  'token-scope-absent': 'scope may be left out where all of it was granted',
};

/** Faults that no examination sees, and why. */
const unseen: Readonly<Record<string, string>> = {
  'as-endpoint-shell': 'the person sees that page in the browser',
  'refresh-late': 'the refresh is done, and answered within the limit: nothing is broken, it is slow (12 s here)',
  'upstream-no-consent': 'what happens between the authorization server and a service behind it shows there alone',
  'upstream-consent-for-all': 'the same, and it takes two clients of one person',
  'upstream-state-unbound': 'the same, and it takes two browsers',
  ...Object.fromEntries(
    [
      ...['workload-other-audience', 'workload-two-audiences', 'workload-expired', 'workload-too-early'],
      ...['workload-unsigned', 'workload-refused'],
    ].map((name) => [name, 'doctor logs in as a person does: what comes of a platform’s token, `login` says']),
  ),
  'company-no-id-token':
    'only a refresh at the provider shows it, and it is spared while its ID token lives; `token` goes on',
  'company-other-person': 'only a refresh at the provider shows it: `token` says it then',
  'newer-refuses-its-own': 'no tool is called: what comes of a tool, `call` says',
  'newer-odd-result-type': 'the same',
  'newer-no-result-type': 'the same, and it counts as complete',
  'newer-asks-forever': 'the same',
  'newer-asks-nothing': 'the same',
  'newer-asks-unoffered': 'the same',
  'newer-header-mismatch-once': 'the same',
  'newer-header-mismatch-always': 'the same',
  'newer-method-missing': 'the same',
  'newer-capability-missing': 'the same',
  'newer-acknowledges-less': 'nothing is watched here: `call --watch` says it',
};

/** What is slow by a fault has to be waited for; nothing else is to run out of time on a busy machine. */
const shortLimits = { ...defaultLimits, tokenSeconds: 2, metadataSeconds: 2, revocationSeconds: 2 };

const timeoutMs = 60_000;

const login = { ...inBrowser, scope: ['mcp:basic', 'notes:read'], timeoutMs };

test('[A-298] doctor: every fault of the sandbox is found, or it is said why not', () => {
  const known = [foundPassively, foundOfCompany, foundByExchange, found, harmless, unseen].flatMap((table) =>
    Object.keys(table),
  );
  const names = listFaults().map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
    'in no table',
  );
  assert.deepEqual(
    known.filter((name) => !names.includes(name)),
    [],
    'no such fault',
  );
});

/** The faults in one table, those that are slow apart from the others. */
async function examineEach(names: readonly string[], check: (name: string, seen: Seen) => void): Promise<void> {
  const isSlow = (name: string) => name.endsWith('-slow');
  await examineWithin(
    defaultLimits,
    names.filter((name) => !isSlow(name)),
    check,
  );
  await examineWithin(shortLimits, names.filter(isSlow), check);
}

/** Before one sandbox. */
async function examineWithin(
  limits: typeof defaultLimits,
  names: readonly string[],
  check: (name: string, seen: Seen) => void,
): Promise<void> {
  if (names.length === 0) return;
  const pushed = names.some((name) => name.startsWith('pushed-'));
  const dpop = names.every((name) => name.startsWith('dpop-')) ? 'required' : 'off';
  let walked = Promise.resolve<unknown>(undefined);
  const browse = (url: string) => {
    walked = walkLogin(url);
    return walked;
  };
  const flow = { interactive: true, limits, browse };
  await using opened = await openScene({ pushedRequests: pushed ? 'required' : 'offered', dpop }, flow);
  const scene = impatient(opened, () => walked);
  for (const name of names) {
    scene.sandbox.setFaults([name]);
    const { report } = await examineWhole(scene, { login });
    const { firstCause } = report;
    check(name, { id: firstCause?.id, who: firstCause?.kind?.who, evidence: firstCause?.evidence });
  }
}

/** The same, where a person is waited for until the browser has come to the end of its way, and no longer. */
function impatient(scene: Scene, walked: () => Promise<unknown>): Scene {
  const { clock } = scene.ports;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ms !== timeoutMs) return await clock.sleep(ms, signal);
    await clock.sleep(100, signal); // the browser is opened meanwhile
    await unlessAborted(walked(), signal);
  };
  return { ...scene, ports: { ...scene.ports, clock: { ...clock, sleep } } };
}

interface Seen {
  readonly id: string | undefined;
  readonly who: string | undefined;
  readonly evidence: string | undefined;
}

const groups = [
  'as-',
  'registration-',
  'authorization-',
  'resource-',
  'pushed-',
  'callback-',
  'token-',
  'refresh-',
  'revocation-',
  'server-',
  'newer-',
  'dpop-',
];

for (const group of groups) {
  test(`[A-298] doctor --login: each fault ${group}… is the first cause, and who can mend it is named`, async () => {
    const names = Object.keys(found).filter((name) => name.startsWith(group));
    await examineEach(names, (name, seen) => {
      const id = found[name];
      assert.ok(id !== undefined);
      assert.deepEqual([name, seen.id, seen.who], [name, id, findings[id].who], seen.evidence);
    });
  });
}

test('doctor --login: what is harmless is nothing above a note', async () => {
  const isBound = (name: string) => name.startsWith('dpop-');
  const names = Object.keys(harmless);
  for (const some of [names.filter(isBound), names.filter((name) => !isBound(name))]) {
    await examineEach(some, (name, seen) => {
      assert.deepEqual([name, seen.id], [name, undefined], seen.evidence);
    });
  }
});
