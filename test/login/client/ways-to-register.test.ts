import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type WantedLogin } from '../../support/flows/scene.js';
import type { RegistrationWay } from '../../support/product.js';

const metadataUrl = 'https://postern.invalid/client.json';
const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };

/** What stands open: a client given by the person, a metadata document, dynamic registration. */
interface Open {
  readonly given: boolean;
  readonly document: boolean;
  readonly dynamic: boolean;
}

function wishFor(own: OwnScene, open: Open, registration?: RegistrationWay): Partial<WantedLogin> {
  const { registration_endpoint, ...rest } = own.issuer.metadata;
  own.issuer.metadata = {
    ...rest,
    ...(open.dynamic ? { registration_endpoint } : {}),
    client_id_metadata_document_supported: open.document,
  };
  return {
    server: own.server.url,
    registration,
    ...(open.given ? { client } : {}),
    ...(open.document ? { metadataUrl } : {}),
  };
}

const branches: readonly Open[] = [
  { given: true, document: true, dynamic: true },
  { given: false, document: true, dynamic: true },
  { given: false, document: false, dynamic: true },
  { given: false, document: false, dynamic: false },
];
const identifiers = { preregistered: 'by-hand', metadata: metadataUrl, dynamic: 'client-1', ask: 'typed-in' };

function firstOpen({ given, document, dynamic }: Open): RegistrationWay {
  if (given) return 'preregistered';
  if (document) return 'metadata';
  return dynamic ? 'dynamic' : 'ask';
}

function describe(open: Open): string {
  const ways = Object.entries(open).flatMap(([name, isOpen]) => (isOpen ? [name] : []));
  return ways.length === 0 ? 'nothing' : ways.join(' and ');
}

for (const open of branches) {
  const wins = firstOpen(open);
  test(`[Q-6.10][R-4.6a] with ${describe(open)} open, ${wins} wins`, async () => {
    await using scene = await openScene({}, { interactive: true, typed: ['typed-in', ''] });
    await using own = await openOwnScene();
    const login = await scene.login(wishFor(own, open));
    assert.deepEqual([login.registration, login.clientId], [wins, identifiers[wins]]);
    assert.equal(own.issuer.authorizations[0]?.get('client_id'), identifiers[wins]);
    assert.equal(own.issuer.registrations.length, wins === 'dynamic' ? 1 : 0);
  });
}

for (const way of ['metadata', 'ask'] as const) {
  test(`[R-4.6a] --registration ${way} is taken although every other way is open`, async () => {
    await using scene = await openScene({}, { interactive: true, typed: ['typed-in', ''] });
    await using own = await openOwnScene();
    const wish = wishFor(own, { given: true, document: true, dynamic: true }, way);
    const login = await scene.login(wish);
    assert.deepEqual([login.registration, login.clientId], [way, identifiers[way]]);
  });
}

for (const [way, needed] of [
  ['preregistered', /--client-id/],
  ['metadata', /does not take client ID metadata documents|--client-metadata-url/],
  ['dynamic', /no dynamic registration/],
] as const) {
  test(`[R-4.6a][R-2.2b] --registration ${way} where it is closed: refused before a browser, exit 2`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const wish = wishFor(own, { given: false, document: false, dynamic: false }, way);
    const failure = await scene.loginFails('registration_way_closed', wish);
    assert.equal(failure.exit, 2);
    assert.match(failure.message, needed);
    assert.deepEqual([scene.ports.opened, own.issuer.registrations], [[], []]);
  });
}

test('[R-4.6a][R-4.6b] a person who is asked sees the exact redirect URI first; what is typed is kept', async () => {
  await using scene = await openScene({}, { interactive: true, typed: [' typed-in ', 'typed-secret'] });
  await using own = await openOwnScene();
  const wish = wishFor(own, { given: false, document: false, dynamic: false });
  const login = await scene.login(wish);
  assert.deepEqual([login.clientId, login.registration], ['typed-in', 'ask']);
  const redirectUri = own.issuer.authorizations[0]?.get('redirect_uri');
  const shown = scene.ports.told.findIndex((line) => line.trim() === redirectUri);
  const asked = scene.ports.told.findIndex((line) => line.startsWith('Client identifier'));
  assert.ok(shown >= 0 && shown < asked, scene.ports.told.join('\n'));
  assert.match(own.issuer.forms[0]?.authorization ?? '', /^Basic /);
  await scene.login(wish);
  assert.equal(own.issuer.authorizations[1]?.get('client_id'), 'typed-in', 'not asked a second time');
  assert.equal(own.issuer.authorizations[1]?.get('redirect_uri'), redirectUri, 'the port that was registered');
});

test('[R-4.6c] in a script, with no way open: what to pass is said, and nothing is asked', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wish = wishFor(own, { given: false, document: false, dynamic: false });
  const failure = await scene.loginFails('client_identifier_needed', wish);
  assert.equal(failure.exit, 2);
  assert.match(failure.remedy, /--client-secret-stdin.*: postern login http\S+ --client-id ID --redirect-port \d+$/);
  assert.match(failure.remedy, /http:\/\/127\.0\.0\.1:\d+\/callback/);
  assert.ok(!scene.ports.told.some((line) => line.startsWith('Client identifier')));
  const asked = await scene.loginFails('client_identifier_needed', { ...wish, registration: 'ask' });
  assert.equal(asked.exit, 2);
});

test('[R-2.2b] dynamic registration alone is refused by the server: exit 4, and no other way is tried behind its back', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onRegistration = () => [403, { error: 'invalid_client_metadata', error_description: 'members only' }];
  const failure = await scene.loginFails('registration_refused', { server: own.server.url });
  assert.equal(failure.exit, 4);
  assert.match(failure.message, /members only/);
  assert.match(failure.remedy, /--client-id/);
  assert.deepEqual(scene.ports.opened, []);
});

test('[A-60] management members of a registration are dropped: neither kept nor fetched', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  const secretOfManagement = 'canary-of-registration-access-token';
  own.issuer.onRegistration = ({ redirect_uris }) => [
    201,
    {
      client_id: 'managed',
      redirect_uris,
      registration_access_token: secretOfManagement,
      registration_client_uri: `${elsewhere.issuer.issuer}/register/managed`,
    },
  ];
  const { key } = await scene.login({ server: own.server.url });
  const index = await scene.ports.index.read();
  const items = await Promise.all([key, index.registrations[0]?.key ?? ''].map((one) => scene.ports.store.read(one)));
  const everything = JSON.stringify([index, scene.ports.told, scene.ports.journal.steps]);
  assert.ok(![everything, ...items.map((item) => item?.reveal() ?? '')].join().includes(secretOfManagement));
  assert.deepEqual(elsewhere.issuer.requests, []);
});
