import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { interrupted } from '../../../src/core/failures.js';
import { plainLook } from '../../../src/core/text/look.js';
import type { Examined } from '../../../src/doctor/examine-server.js';
import { reportLines } from '../../../src/doctor/forms/for-people.js';
import { reportJson } from '../../../src/doctor/forms/for-programs.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import type { SandboxOptions } from '../../support/product.js';
import { evidenceOf, examineWhole, inBrowser } from '../doctor-world.js';

const openPerson = () => openScene({}, { interactive: true });

/** Every form that goes to stdout. */
const printed = ({ report }: Examined) => [
  reportLines('x', report, plainLook).join('\n'),
  JSON.stringify(reportJson('x', report)),
];

test('doctor --login: a healthy server has nothing above a note, and all is looked at', async () => {
  await using scene = await openPerson();
  const examined = await examineWhole(scene, { login: { ...inBrowser, scope: ['mcp:basic', 'notes:read'] } });
  const { findings, firstCause } = examined.report;
  assert.equal(firstCause, undefined, evidenceOf(examined));
  // What is found at each step stands in the transcript doctor-of-a-server.
  const looked = new Set(findings.filter(({ level }) => level === 'pass').map(({ step }) => step));
  for (const { step } of findings) assert.ok(looked.has(step), step);
  assert.ok(findings.filter(({ level }) => level === 'pass').length >= 20, evidenceOf(examined));
  assert.ok(examined.report.has('token-outlives-revocation'), 'it is a JWT');
});

test('doctor --login: a stored login is neither spent, narrowed, replayed nor sent, and nothing is stored', async () => {
  await using scene = await openPerson();
  const stored = await scene.login();
  const item = (await scene.ports.store.read(stored.key))?.reveal() ?? '';
  const before = await scene.ports.index.read();
  const asked = scene.sandbox.requests.length;
  const kept = async () => (await readdir(join(scene.folder, 'state'))).toSorted();
  const files = await kept();
  await examineWhole(scene);
  assert.deepEqual(await kept(), files);
  const { accessToken, refreshToken } = JSON.parse(item) as Record<string, string>;
  const sent = JSON.stringify(scene.sandbox.requests.slice(asked));
  for (const secret of [accessToken, refreshToken]) assert.ok(secret !== undefined && !sent.includes(secret));
  assert.deepEqual(await scene.ports.index.read(), before);
  assert.equal((await scene.ports.store.read(stored.key))?.reveal(), item);
  assert.ok(scene.sandbox.requests.slice(asked).some(({ path }) => path === '/revoke'));
});

test('doctor --login: a client that a person registered by hand is used, where nobody registers by himself', async () => {
  const clients = [{ client_id: 'by-hand', redirect_uris: ['http://127.0.0.1/callback'] }];
  await using scene = await openScene({ registration: false, clients }, { interactive: true });
  const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };
  await scene.login({ client });
  const examined = await examineWhole(scene);
  assert.equal(examined.report.firstCause, undefined, evidenceOf(examined));
  assert.match(evidenceOf(examined), /preregistered, client identifier by-hand/);
});

const healthy: readonly SandboxOptions[] = [
  { eras: 'newer', discovery: 'header' },
  { eras: 'older', issuerPath: '/tenant1', metadata: 'openid-appended' },
  { pushedRequests: 'required', wellKnown: 'root', discovery: 'well-known' },
  { loopbackPorts: 'exact', metadataDocuments: false, accessTokenSeconds: 60 },
];

test('doctor --login: no false alarm at healthy servers of other kinds', async () => {
  for (const options of healthy) {
    await using scene = await openScene(options, { interactive: true });
    const examined = await examineWhole(scene);
    assert.equal(examined.report.firstCause, undefined, `${JSON.stringify(options)}\n${evidenceOf(examined)}`);
    assert.match(evidenceOf(examined), /the refresh token works/);
  }
});

/** The tokens that the sandbox was asked to revoke. */
const revoked = ({ sandbox }: Scene) =>
  sandbox.requests
    .filter(({ path }) => path === '/revoke')
    .flatMap(({ params }) => params.flatMap(([name, value]) => (name === 'token_type_hint' ? [value] : [])));

test('doctor --login: its tokens are revoked after Ctrl-C, too, and what stays is said', async () => {
  await using scene = await openPerson();
  const ending = new AbortController();
  const progress = {
    begin: (what: string) => what === 'Refreshing the token' && ending.abort(interrupted()),
    end: () => undefined,
  };
  const examined = examineWhole({ ...scene, ports: { ...scene.ports, progress } }, { signal: ending.signal });
  await assert.rejects(examined, { code: 'interrupted' });
  assert.deepEqual(revoked(scene).toSorted(), ['access_token', 'refresh_token']);
  const lines = scene.ports.told.join('\n');
  assert.match(lines, /\b1 access token\b/); // a JWT, which cannot be revoked
  assert.match(lines, /\bclient "/);
});

test('doctor --login: tokens of a response that the login refused are revoked as well', async () => {
  await using scene = await openPerson();
  scene.sandbox.setFaults(['token-type-mac']);
  const { report } = await examineWhole(scene);
  assert.equal(report.firstCause?.id, 'token-type-unusable');
  assert.ok(revoked(scene).includes('refresh_token'));
});

test('doctor --login: who says no on the page is the one to act', async () => {
  await using scene = await openScene({}, { interactive: true, walk: { decision: 'deny' } });
  const { report } = await examineWhole(scene);
  assert.equal(report.firstCause?.id, 'login-denied');
  assert.equal(report.firstCause?.kind?.who, 'you');
});

const canaries = ['canary-access-value-1', 'canary-refresh-value-2', 'canary-code-value-3', 'canary-secret-value-4'];

test('doctor: no secret is printed, whatever part of it a server says back, and in whatever form', async () => {
  await using scene = await openPerson();
  await using own = await openOwnScene();
  const [access = '', refresh = '', code = '', secret = ''] = canaries;
  const all = canaries.join(' ');
  own.issuer.onAuthorization = (query) => query.set('code', code);
  own.issuer.onRegistration = ({ redirect_uris }) => [
    201,
    {
      ...{ client_id: 'a-client', redirect_uris, client_secret: secret, client_secret_expires_at: 0 },
      ...{ token_endpoint_auth_method: 'client_secret_post', registration_access_token: secret },
    },
  ];
  own.issuer.onToken = ({ fields }) => {
    const said = { error: 'invalid_grant', error_description: `${all} ${encodeURIComponent(all)} ${all.slice(0, 90)}` };
    if (fields.get('grant_type') === 'refresh_token') return [400, said];
    return [
      200,
      { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: all, scope: access },
    ];
  };
  own.server.whenAuthorized = (request, response) =>
    void response.writeHead(307, { location: `/x?token=${request.headers.authorization}&code=${code}` }).end(all);
  const examined = await examineWhole(scene, { server: own.server.url });
  assert.ok(examined.report.has('token-redirected'));
  for (const text of printed(examined)) assert.doesNotMatch(text, /canary/);
});

test('doctor: a token for another resource that the server takes, and tokens that are for anybody', async () => {
  await using scene = await openPerson();
  await using own = await openOwnScene();
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  own.server.whenAuthorized = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":0,"result":{}}');
  let count = 0;
  own.issuer.onToken = ({ fields }) => {
    count += 1;
    const token = [part({ alg: 'none' }), part({ aud: fields.get('resource'), jti: count }), 'x'].join('.');
    return [200, { access_token: token, refresh_token: `refresh-${count}`, token_type: 'Bearer', expires_in: 300 }];
  };
  const taken = await examineWhole(scene, { server: own.server.url });
  assert.ok(taken.report.has('foreign-token-taken'), evidenceOf(taken));
  own.issuer.onToken = () => {
    count += 1;
    return [
      200,
      { access_token: `opaque-${count}`, refresh_token: `r-${count}`, token_type: 'Bearer', expires_in: 300 },
    ];
  };
  const unbound = await examineWhole(scene, { server: own.server.url });
  assert.ok(unbound.report.has('tokens-not-bound'), evidenceOf(unbound));
  assert.ok(unbound.report.has('revocation-without-effect'), 'its revocation says yes, and does nothing');
});

test('doctor --login: where no person typed it, logins that were made do not hold the next one back', async () => {
  await using scene = await openScene({}, { interactive: false });
  for (const run of [1, 2, 3, 4]) {
    const { report } = await examineWhole(scene);
    assert.equal(report.firstCause?.evidence, undefined, `run ${run}`);
  }
});
