import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientCredentialsLogin } from '../../../src/login/client/client-credentials.js';
import { logout } from '../../../src/login/logout/logout.js';
import { decodeCredential } from '../../../src/stores/credential-item.js';
import { validToken } from '../../../src/tokens/valid-token.js';
import { callTool } from '../../support/flows/calls.js';
import { openScene, type Scene, type WantedLogin } from '../../support/flows/scene.js';
import { everythingIn, failureOf } from '../../support/http.js';
import type {
  GivenAssertion,
  LoginRecord,
  PreregisteredClient,
  SandboxClient,
  SandboxOptions,
} from '../../support/product.js';

const subject = 'repo:acme/app:ref:refs/heads/main';
const clients: readonly SandboxClient[] = [{ client_id: 'job', workload: subject, redirect_uris: [] }];
const { signal } = new AbortController();

interface Workload extends AsyncDisposable {
  readonly scene: Scene;
  readonly file: string;
  /** Has the platform write a token into the file; what it wrote. */
  sign(change?: Readonly<Record<string, string>>): Promise<string>;
  logIn(given?: Partial<GivenAssertion>, change?: Partial<WantedLogin>): Promise<LoginRecord>;
  readonly tokenRequests: () => readonly ReadonlyMap<string, string>[];
}

async function openWorkload(
  options: SandboxOptions = {},
  env: Record<string, string | undefined> = {},
): Promise<Workload> {
  const scene = await openScene({ clients, ...options }, { env });
  const file = join(scene.folder, 'token');
  const sign = async (change: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${scene.sandbox.issuer}/workload/token?${new URLSearchParams(change)}`);
    const text = await response.text();
    await writeFile(file, text);
    return text.trim();
  };
  await sign();
  return {
    scene,
    file,
    sign,
    logIn: (given = {}, change = {}) => {
      const assertion = {
        source: { from: 'file', path: file },
        audience: undefined,
        use: undefined,
        ...given,
      } as const;
      const client: PreregisteredClient = {
        ...{ clientId: 'job', secret: undefined, assertion },
        ...{ issuer: undefined, redirectUri: undefined },
      };
      return clientCredentialsLogin(scene.ports, scene.request({ client, ...change }));
    },
    tokenRequests: () =>
      scene.sandbox.requests
        .filter(({ path }) => path.endsWith('/token') && !path.includes('workload'))
        .map(({ params }) => new Map(params)),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

const tokenOf = ({ scene }: Workload, login: LoginRecord) =>
  validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal });

test('a platform’s token is exchanged by the grant that the metadata lists: no secret, resource and scope sent, nothing stored of it', async () => {
  await using workload = await openWorkload();
  const { scene } = workload;
  const token = await workload.sign();
  const login = await workload.logIn();
  await callTool(scene, login, 'echo', { text: 'hello' });
  const [sent, ...more] = workload.tokenRequests();
  assert.deepEqual(more, []);
  assert.deepEqual(
    ['grant_type', 'assertion', 'client_id', 'resource', 'scope', 'client_assertion'].map((name) => sent?.get(name)),
    ['urn:ietf:params:oauth:grant-type:jwt-bearer', token, 'job', scene.sandbox.serverUrl, 'mcp:basic', undefined],
  );
  assert.deepEqual(login.assertion, { from: 'file', name: workload.file, use: 'grant' });
  const item = (await scene.ports.store.read(login.key))?.reveal() ?? '';
  assert.ok(!item.includes(token) && !JSON.stringify(await scene.ports.index.read()).includes(token));
  assert.ok(decodeCredential(item, login).ok);
});

test('--assertion-as client: the client authenticates with it, as it is, and the grant is its own', async () => {
  await using workload = await openWorkload();
  const token = await workload.sign();
  const login = await workload.logIn({ use: 'client' });
  const [sent, ...more] = workload.tokenRequests();
  assert.deepEqual(more, []);
  assert.deepEqual(
    ['grant_type', 'client_assertion', 'client_id', 'assertion', 'client_secret'].map((name) => sent?.get(name)),
    ['client_credentials', token, 'job', undefined, undefined],
  );
  const ended = await logout(workload.scene.ports, { login, signal, force: false }).catch((error: unknown) => error);
  assert.ok(!(ended instanceof Error), String(ended));
  const revocation = workload.scene.sandbox.requests.find(({ path }) => path.endsWith('/revoke'));
  assert.equal(new Map(revocation?.params).get('client_assertion'), token);
});

test('renewal reads the token anew, for refresh and for more scope; once for many at the same time', async () => {
  await using workload = await openWorkload();
  const { scene } = workload;
  const login = await workload.logIn();
  const second = await workload.sign();
  scene.ports.advance(4 * 60_000 + 30_000); // the token of the sandbox lives for five minutes
  await Promise.all([1, 2, 3].map(() => tokenOf(workload, login)));
  const [, renewal, ...more] = workload.tokenRequests();
  assert.deepEqual([renewal?.get('assertion'), more.length], [second, 0]);
  const third = await workload.sign();
  await callTool(scene, login, 'note_add', { text: 'x' });
  const [, , widening] = workload.tokenRequests();
  assert.equal(widening?.get('assertion'), third);
  assert.ok(widening?.get('scope')?.includes('notes:write'));
});

test('[A-62] what is not for this issuer alone, not valid now, or not signed is not sent; the failure says which, and not the token', async () => {
  await using workload = await openWorkload();
  const { scene } = workload;
  const { issuer } = scene.sandbox;
  const cases = [
    ['workload-other-audience', /another audience \("https:\/\/kubernetes\.default\.svc\.cluster\.local"\)/],
    ['workload-two-audiences', /several audiences/],
    ['workload-expired', /expired \d+ hours ago/],
    ['workload-too-early', /valid only in/],
    ['workload-unsigned', /not signed/],
  ] as const;
  for (const [fault, why] of cases) {
    scene.sandbox.setFaults([fault]);
    const token = await workload.sign();
    const failure = await failureOf(workload.logIn(), 'assertion_unusable');
    assert.match(failure.message, why);
    assert.ok(failure.message.includes(workload.file), 'the source is named');
    assert.equal(failure.exit, 3);
    assert.ok(!everythingIn(failure).includes(token.split('.')[1] ?? ''), fault);
  }
  scene.sandbox.setFaults([]);
  for (const audience of [`${issuer}/`, `${issuer}.evil.example`, issuer.slice(0, -1), `${issuer} ${issuer}`, '']) {
    await workload.sign({ audience });
    await failureOf(workload.logIn(), 'assertion_unusable');
  }
  assert.deepEqual(workload.tokenRequests(), []);
});

test('--assertion-audience: what the person says is compared instead, and nothing else is', async () => {
  await using workload = await openWorkload();
  await workload.sign({ audience: 'api://exchange' });
  const failure = await failureOf(workload.logIn({ audience: 'api://exchang' }), 'assertion_unusable');
  assert.match(failure.remedy, /"api:\/\/exchang"/);
  assert.equal(workload.tokenRequests().length, 0);
  await failureOf(workload.logIn({ audience: 'api://exchange' }), 'invalid_grant');
  assert.equal(workload.tokenRequests().length, 1, 'it is sent; the sandbox itself takes no other audience');
});

test('after a refusal nothing else is tried, and it says whom the token is of; the login stays, and works with the next one', async () => {
  await using workload = await openWorkload();
  const { scene } = workload;
  scene.sandbox.setFaults(['workload-refused']);
  for (const use of [undefined, 'grant', 'client'] as const) {
    const before = workload.tokenRequests().length;
    const failure = await failureOf(workload.logIn({ use }), 'invalid_grant');
    assert.ok(
      failure.remedy.includes(subject) && failure.remedy.includes(`${scene.sandbox.issuer}/workload`),
      failure.remedy,
    );
    assert.equal(workload.tokenRequests().length, before + 1);
  }
  scene.sandbox.setFaults([]);
  const login = await workload.logIn();
  scene.sandbox.setFaults(['workload-refused']);
  scene.ports.advance(5 * 60_000 + 5_000);
  await workload.sign();
  const refused = await failureOf(tokenOf(workload, login), 'invalid_grant');
  assert.ok(refused.remedy.includes(subject));
  scene.sandbox.setFaults([]);
  assert.equal((await scene.ports.index.read()).logins[0]?.dead, undefined);
  await tokenOf(workload, login);
});

test('a login whose platform is refused again and again asks ten times an hour, until it is made again', async () => {
  await using workload = await openWorkload();
  const { scene } = workload;
  const login = await workload.logIn();
  scene.sandbox.setFaults(['workload-refused']);
  scene.ports.advance(4 * 60_000 + 50_000);
  const { accessToken } = await tokenOf(workload, login);
  assert.ok(accessToken, 'as long as it lives the token at hand is used');
  scene.ports.advance(15_000);
  await workload.sign();
  for (let times = 1; times < 10; times += 1) await failureOf(tokenOf(workload, login), 'invalid_grant');
  const asked = workload.tokenRequests().length;
  const failure = await failureOf(tokenOf(workload, login), 'assertion_refused');
  assert.match(failure.remedy, /--client-credentials$/);
  assert.equal(workload.tokenRequests().length, asked);
  scene.sandbox.setFaults([]);
  const again = await workload.logIn();
  await tokenOf(workload, again);
  assert.ok(await scene.ports.attempts.allows(`refused platform ${again.key}`, 1));
});

test('[A-62] it goes to the issuer and the endpoint that it was set up for: not where the server, or its metadata, points later', async () => {
  await using workload = await openWorkload();
  await using other = await openWorkload();
  const { scene } = workload;
  const login = await workload.logIn();
  const again = () => clientCredentialsLogin(scene.ports, scene.request({ issuer: other.scene.sandbox.issuer }));
  await assert.rejects(again);
  scene.sandbox.setFaults(['token-redirect-302-elsewhere']);
  scene.ports.advance(4 * 60_000 + 50_000);
  await workload.sign();
  await tokenOf(workload, login).catch(() => undefined);
  const elsewhere = [...scene.sandbox.requests, ...other.scene.sandbox.requests].filter(
    ({ path, params }) => !path.endsWith('/token') && new Map(params).has('assertion'),
  );
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(other.tokenRequests(), []);
});

test('logging in again without options takes the source that is kept with the login', async () => {
  await using workload = await openWorkload();
  await workload.logIn();
  const token = await workload.sign();
  const again = await clientCredentialsLogin(workload.scene.ports, workload.scene.request({}));
  assert.deepEqual([again.clientId, again.assertion?.name], ['job', workload.file]);
  assert.equal(workload.tokenRequests().at(-1)?.get('assertion'), token);
});

test('a variable is taken out of the environment before anything is asked; unset, the failure names it and what to do', async () => {
  const env: Record<string, string | undefined> = {};
  await using workload = await openWorkload({}, env);
  const source = { from: 'variable', name: 'ACTIONS_TOKEN' } as const;
  const failure = await failureOf(workload.logIn({ source }), 'assertion_unreadable');
  assert.match(failure.message, /the variable "ACTIONS_TOKEN".*not set/);
  env['ACTIONS_TOKEN'] = `${await workload.sign()}\n`;
  const login = await workload.logIn({ source });
  assert.deepEqual([env['ACTIONS_TOKEN'], login.assertion?.from], [undefined, 'variable']);
});

test('where the metadata lists neither use, nothing is sent unless a person says how', async () => {
  await using workload = await openWorkload({ clients: [{ client_id: 'x', client_secret: 'y', redirect_uris: [] }] });
  // Without a client of a platform the sandbox lists private_key_jwt alone.
  await failureOf(workload.logIn(), 'invalid_client');
  assert.ok(workload.tokenRequests()[0]?.has('client_assertion'));
});
