import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { findings } from '../../src/doctor/findings.js';
import { reportJson } from '../../src/doctor/forms/for-programs.js';
import type { Report } from '../../src/doctor/report.js';
import type { WantedLogin } from '../../src/doctor/run.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { freePort } from '../support/free-port.js';
import { startHttp } from '../support/http-server.js';
import { defaultLimits, type LoginRecord, type SandboxClient } from '../support/product.js';
import { temporaryFolder } from '../support/temporary.js';
import { examineWhole, inBrowser } from './doctor-world.js';
import { foundByExchange, foundOfCompany } from './faults.js';

const clients: readonly SandboxClient[] = [{ client_id: 'tool', company: 'desktop', redirect_uris: [] }];

/** What is slow by a fault has to be waited for. */
const limits = { ...defaultLimits, metadataSeconds: 3 };

const openCompany = () => openScene({ clients }, { limits });

/** A login by the sandbox's own provider. */
async function logIn({ sandbox, login }: Scene): Promise<LoginRecord> {
  const provider = {
    issuer: `${sandbox.issuer}/company`,
    clientId: 'desktop',
    secret: undefined,
    tokenFile: undefined,
  };
  const client = { clientId: 'tool', secret: undefined, issuer: undefined, redirectUri: undefined };
  return await login({ provider, client });
}

async function examine(scene: Scene, held: LoginRecord, login?: WantedLogin): Promise<Report> {
  return (await examineWhole(scene, { server: held.server, held, login })).report;
}

/** A provider’s metadata without the refresh grant. */
async function startProvider() {
  const server = await startHttp((_request, response) => {
    const { origin: issuer } = server;
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  return server;
}

const evidenceOf = (report: Report) => report.findings.map(({ evidence }) => evidence).join('\n');

test('doctor: a healthy login by a company’s provider has nothing above a note; the provider is asked for its metadata alone', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  const before = scene.sandbox.requests.length;
  const report = await examine(scene, held);
  assert.equal(report.firstCause, undefined, report.firstCause?.evidence);
  assert.match(evidenceOf(report), /ID-JAG[\s\S]*\btool\b.*provider/);
  const asked = scene.sandbox.requests.slice(before).filter(({ at }) => at === 'authorization');
  assert.ok(asked.some(({ path }) => path.startsWith('/company/')));
  for (const { method, path } of asked) assert.match(`${method} ${path}`, /^GET (?:\/company)?\/\.well-known\//);
});

for (const [fault, id] of Object.entries(foundOfCompany)) {
  test(`doctor: ${fault} is found as ${id} where the login is by a company’s provider`, async () => {
    await using scene = await openCompany();
    const held = await logIn(scene);
    scene.sandbox.setFaults([fault]);
    const { firstCause } = await examine(scene, held);
    assert.deepEqual([firstCause?.id, firstCause?.kind?.who], [id, findings[id].who], firstCause?.evidence);
  });
}

test('doctor: an authorization server that offers no login by a code is right for a login by a company’s provider', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  scene.sandbox.setFaults(['as-no-code-response-type', 'as-no-pkce']);
  const { firstCause } = await examine(scene, held);
  assert.equal(firstCause, undefined, firstCause?.evidence);
});

test('doctor: a provider that is not there, one that names another issuer, and one that lists no refresh', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  const by = (issuer: string): LoginRecord => ({ ...held, provider: { issuer, clientId: 'desktop' } });
  const gone = await examine(scene, by(`http://127.0.0.1:${await freePort()}`));
  assert.equal(gone.firstCause?.id, 'provider-unreachable', gone.firstCause?.evidence);
  const other = await examine(scene, by(`${scene.sandbox.issuer}/company/`));
  assert.equal(other.firstCause?.id, 'provider-metadata-unusable', other.firstCause?.evidence);
  await using brief = await startProvider();
  const report = await examine(scene, by(brief.origin));
  assert.equal(report.firstCause?.id, 'provider-login-ended', 'nobody is logged in at that one');
  const found = report.findings.find(({ id }) => id === 'provider-refresh-not-listed');
  assert.match(found?.evidence ?? '', /^grant_types_supported: authorization_code, urn:ietf/);
});

test('doctor: a login at the provider that has ended, or is not there, is named with the command that helps', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  const { index } = scene.ports;
  const marks = [{ dead: true }, { gone: true }, undefined] as const;
  for (const mark of marks) {
    await index.update(({ providers = [], ...rest }) => ({
      ...rest,
      providers: mark === undefined ? [] : providers.map(({ dead: _, gone: __, ...one }) => ({ ...one, ...mark })),
    }));
    const { firstCause } = await examine(scene, held);
    assert.equal(firstCause?.id, 'provider-login-ended', firstCause?.evidence);
    assert.match(firstCause?.remedy ?? '', /^Run: postern login /);
  }
});

test('doctor: an ID token that comes from a file is looked at where it lies, and nothing of it is shown', async () => {
  await using scene = await openCompany();
  await using folder = await temporaryFolder();
  const held = await logIn(scene);
  const issuer = `${scene.sandbox.issuer}/company`;
  const path = `${folder.path}/id-token`;
  const byFile: LoginRecord = { ...held, provider: { issuer, clientId: 'desktop', tokenFile: path } };
  const seconds = scene.ports.clock.now() / 1000;
  const canary = 'canary-of-the-id-token';
  const whole = { iss: issuer, aud: 'desktop', sub: canary, exp: seconds + 600 };
  const tokens: readonly (readonly [said: RegExp, text: string | undefined])[] = [
    [/id-token/, undefined],
    [/JSON web token/, canary],
    [/issuer/, tokenOf({ ...whole, iss: 'https://other.example' })],
    [/client/, tokenOf({ ...whole, aud: 'other' })],
    [/expired/, tokenOf({ ...whole, exp: seconds - 600 })],
  ];
  for (const [said, text] of tokens) {
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
    const report = await examine(scene, byFile);
    assert.equal(report.firstCause?.id, 'id-token-unusable', report.firstCause?.evidence);
    assert.match(report.firstCause?.evidence ?? '', said);
    assert.doesNotMatch(evidenceOf(report), new RegExp(canary));
  }
  writeFileSync(path, tokenOf(whole));
  const report = await examine(scene, byFile);
  assert.equal(report.firstCause, undefined, report.firstCause?.evidence);
  assert.match(evidenceOf(report), /id-token\b/);
});

/** Signed by nobody: what is read here is not judged by its signature. */
function tokenOf(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.${Buffer.from('none').toString('base64url')}`;
}

test('doctor --login: the provider vouches without a person; the token is tried, and what is kept stays as it is', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  const { store, opened } = scene.ports;
  const item = (await store.read(held.key))?.reveal();
  const [tabs, before] = [opened.length, scene.sandbox.requests.length];
  const report = await examine(scene, held, inBrowser);
  assert.equal(report.firstCause, undefined, report.firstCause?.evidence);
  for (const said of [
    'the provider vouched, and a token came for its ID-JAG',
    'status 200 to a request with the new token',
    'access tokens are not revoked there: that of this run ends by itself',
    'the company’s provider vouches instead',
  ]) {
    assert.ok(evidenceOf(report).includes(said), `${said}\nnot in\n${evidenceOf(report)}`);
  }
  assert.equal(opened.length, tabs, 'no tab');
  assert.equal((await store.read(held.key))?.reveal(), item);
  const secrets = scene.sandbox.requests
    .slice(before)
    .flatMap(({ params }) => params.filter(([name]) => /^(?:assertion|subject_token|token)$/.test(name)));
  assert.ok(secrets.length >= 3);
  const printed = JSON.stringify(reportJson(held.server, report));
  for (const [name, secret] of secrets) assert.ok(!printed.includes(secret), name);
  const revoked = scene.sandbox.requests.slice(before).filter(({ path }) => path.endsWith('/revoke'));
  assert.deepEqual(
    revoked.map(({ path }) => path.includes('/company/')),
    [false],
    'nothing of the provider’s is revoked',
  );
});

test('doctor --login: each fault of the provider is the first cause, and who can fix it is named', async () => {
  await using scene = await openCompany();
  const held = await logIn(scene);
  for (const [fault, id] of Object.entries(foundByExchange)) {
    scene.sandbox.setFaults([fault]);
    const { firstCause } = await examine(scene, held, inBrowser);
    assert.deepEqual(
      [fault, firstCause?.id, firstCause?.kind?.who],
      [fault, id, findings[id].who],
      firstCause?.evidence,
    );
  }
  scene.sandbox.setFaults([]);
  const { firstCause } = await examine(scene, held, inBrowser);
  assert.equal(firstCause, undefined, `the login has not ended by it: ${firstCause?.evidence}`);
});
