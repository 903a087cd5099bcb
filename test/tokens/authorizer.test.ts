import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import { type Relogin, Secret } from '../support/product.js';
import { callers, type Opened, openStage, type Stage, senders } from './callers.js';

const { signal } = new AbortController();

interface Case {
  readonly what: string;
  /** Who is asked; without a person unless it is said. */
  readonly person?: true;
  readonly by: Readonly<Record<string, (stage: Stage) => Opened | Promise<Opened>>>;
  /** After one request that went well, unless `first`. */
  readonly given: (stage: Stage) => Promise<void> | void;
  readonly first?: true;
  readonly outcome: number | string;
  readonly refreshes: number;
  readonly asked?: number;
  /** Numbers of the tokens that the server is shown. */
  readonly shown: readonly number[];
}

const refuseAll = (status: number, challenge: string | undefined, isRefused: (token: string) => boolean) => {
  return ({ own }: Stage) => {
    const accept = own.server.whenAuthorized;
    own.server.whenAuthorized = (message, response) => {
      if (!isRefused(message.headers.authorization ?? '')) accept(message, response);
      else response.writeHead(status, challenge === undefined ? {} : { 'www-authenticate': challenge }).end();
    };
  };
};
const invalid = 'Bearer error="invalid_token"';
const wants = 'Bearer error="insufficient_scope", scope="more"';
/** All have one authorizer: most cases are shown by one of them. */
const one = { request: senders.request };
const isFirst = (value: string) => value === 'Bearer access-1';
const always = () => true;
const left = (ms: number) => (stage: Stage) =>
  stage.scene.ports.advance((stage.login.expiresAt ?? Number.NaN) - stage.scene.ports.clock.now() - ms);
const unwell = (then: (stage: Stage) => void) => (stage: Stage) => {
  stage.own.issuer.onToken = () => [503, {}];
  then(stage);
};
const later = ({ scene }: Stage) => scene.ports.advance(6_000);
const endIt = async (stage: Stage) => {
  await logout(stage.scene.ports, { login: stage.login, force: false, signal });
  later(stage);
};

const cases: readonly Case[] = [
  { what: 'fresh [R-4.1a]', by: callers, given: () => undefined, outcome: 200, refreshes: 0, shown: [1] },
  {
    what: 'expiring, within a tenth of its life [A-140]',
    by: one,
    given: left(20_000),
    outcome: 200,
    refreshes: 1,
    shown: [2],
  },
  {
    what: 'with more than a tenth of its life left',
    by: one,
    given: left(40_000),
    outcome: 200,
    refreshes: 0,
    shown: [1],
  },
  { what: 'expired', by: one, given: left(-1_000), outcome: 200, refreshes: 1, shown: [2] },
  {
    what: 'refused, however fresh [A-146][A-256]',
    by: senders,
    given: refuseAll(401, invalid, always),
    outcome: 'token_refused',
    refreshes: 1,
    shown: [1, 2],
  },
  {
    what: 'refused, and the next one is taken [A-146]',
    by: one,
    given: refuseAll(401, invalid, isFirst),
    outcome: 200,
    refreshes: 1,
    shown: [1, 2],
  },
  {
    what: 'refused with a 401 without a challenge',
    by: one,
    given: refuseAll(401, undefined, isFirst),
    outcome: 200,
    refreshes: 1,
    shown: [1, 2],
  },
  ...[400, 403].map((status) => ({
    what: `refused with a ${status} that names invalid_token, and the next one is taken (RFC 6750 section 3.1)`,
    by: one,
    given: refuseAll(status, invalid, isFirst),
    outcome: 200,
    refreshes: 1,
    shown: [1, 2],
  })),
  {
    what: 'refused with a 400 that names another error',
    by: one,
    given: refuseAll(400, 'Bearer error="invalid_request"', always),
    outcome: 400,
    refreshes: 0,
    shown: [1],
  },
  {
    what: 'revoked: refused, and its refresh token, too [A-141]',
    by: one,
    given: (stage) => {
      refuseAll(401, invalid, always)(stage);
      stage.own.issuer.onToken = () => [400, { error: 'invalid_grant' }];
    },
    outcome: 'login_expired',
    refreshes: 1,
    shown: [1],
  },
  {
    what: 'scope is wanted for an operation, and granted [R-5.6a]',
    person: true,
    by: one,
    given: refuseAll(403, wants, isFirst),
    outcome: 200,
    refreshes: 0,
    asked: 1,
    shown: [1, 2],
  },
  {
    what: 'scope is wanted, and nobody may be asked [R-7.1]',
    by: senders,
    given: refuseAll(403, wants, isFirst),
    outcome: 'insufficient_scope',
    refreshes: 0,
    shown: [1],
  },
  {
    what: 'scope is wanted that is held [A-162]',
    person: true,
    by: one,
    given: refuseAll(403, wants, always),
    outcome: 'scope_refused',
    refreshes: 0,
    asked: 1,
    shown: [1, 2],
  },
  {
    what: 'refused with a 403 without scope [A-165]',
    person: true,
    by: one,
    given: refuseAll(403, 'Bearer realm="x"', always),
    outcome: 403,
    refreshes: 0,
    shown: [1],
  },
  {
    what: 'scope is wanted that another process was given meanwhile [R-5.6a]',
    person: true,
    by: one,
    given: async (stage) => {
      refuseAll(403, wants, isFirst)(stage);
      await stage.scene.login({ server: stage.login.server, scopes: ['more'] });
    },
    outcome: 200,
    refreshes: 0,
    asked: 0,
    shown: [1, 2],
  },
  { what: 'a logout in between [A-232]', by: callers, given: endIt, outcome: 'login_needed', refreshes: 0, shown: [] },
  {
    what: 'another login in its place in between [A-232]',
    by: one,
    given: async (stage) => {
      await logout(stage.scene.ports, { login: stage.login, force: false, signal });
      await stage.scene.login({ server: stage.login.server });
      later(stage);
    },
    outcome: 200,
    refreshes: 0,
    shown: [2],
  },
  {
    what: 'the item is another server’s, whatever the index says [R-5.1a]',
    first: true,
    by: callers,
    given: async ({ scene, login, own }) => {
      const other = `${own.server.origin}/other`;
      const item = await scene.ports.store.read(login.key);
      assert.ok(item !== undefined);
      const changed = item.reveal().replaceAll(JSON.stringify(login.server), JSON.stringify(other));
      await scene.ports.store.write(login.key, new Secret(changed));
    },
    outcome: 'credential_corrupt',
    refreshes: 0,
    shown: [],
  },
  {
    what: 'refreshing fails for now, and it lives [A-142]',
    by: one,
    given: unwell(left(20_000)),
    outcome: 200,
    refreshes: 1,
    shown: [1],
  },
  {
    what: 'refreshing fails for now, and it has ended [A-142]',
    by: one,
    given: unwell(left(-1_000)),
    outcome: 'token_endpoint_failed',
    refreshes: 1,
    shown: [],
  },
];

for (const { what, person, by, given, first, outcome, refreshes, asked = 0, shown } of cases) {
  for (const [name, open] of Object.entries(by)) {
    test(`${name}: a token that is ${what}`, async () => {
      await using at = await openStage();
      const { scene, own, url } = at;
      let questions = 0;
      const relogin: Relogin = async (held, scopes, begin) => {
        await begin();
        questions += 1;
        return scene.login({ server: url, scopes, heldScopes: held.scopes });
      };
      const stage = { ...at, relogin: person && relogin };
      await using opened = await open(stage);
      if (first === undefined) assert.equal(await opened.send(), 200);
      await given(stage);
      const [seen, asks] = [own.server.tokens.length, own.issuer.forms.length];
      const got = await opened.send();
      const forms = own.issuer.forms.slice(asks).filter(({ fields }) => fields.get('grant_type') === 'refresh_token');
      assert.deepEqual(
        { outcome: got, refreshes: forms.length, asked: questions, shown: own.server.tokens.slice(seen) },
        { outcome, refreshes, asked, shown: shown.map((number) => `Bearer access-${number}`) },
      );
    });
  }
}

for (const isRefreshed of [true, false]) {
  test(`[Q-6.7] a new login, made after the old one was ${isRefreshed ? 'refused in spite of a refresh' : 'refused a refresh'}, is used by the next request`, async () => {
    await using at = await openStage();
    const { scene, own, url, accept, issue } = at;
    const stage = { ...at, relogin: undefined };
    await using opened = await senders.bridge(stage);
    assert.equal(await opened.send(), 200);
    refuseAll(401, invalid, always)(stage);
    if (!isRefreshed) own.issuer.onToken = () => [400, { error: 'invalid_grant' }];
    assert.equal(await opened.send(), isRefreshed ? 'token_refused' : 'login_expired');
    own.issuer.onToken = issue;
    own.server.whenAuthorized = accept;
    await scene.login({ server: url });
    const [seen, last] = [own.server.tokens.length, own.issuer.forms.length];
    assert.deepEqual([await opened.send(), own.server.tokens.slice(seen)], [200, ['Bearer access-3']]);
    assert.equal(own.issuer.forms.length, last);
  });
}

for (const [name, open] of Object.entries(callers).filter(([caller]) => caller !== 'proxy')) {
  test(`[R-5.1a] ${name}: the token of one project, asked for at another one that differs in the query alone`, async () => {
    await using at = await openStage();
    const { own, url } = at;
    const alpha = await at.scene.login({ server: `${url}?project=alpha`, account: 'alpha' });
    const stage = { ...at, login: alpha, url: `${url}?project=beta`, relogin: undefined };
    await using opened = await open(stage);
    const shown = own.server.tokens.length;
    assert.equal(await opened.send(), 'token_not_for_url');
    assert.equal(own.server.tokens.length, shown);
    await using below = await open({ ...stage, url: alpha.server });
    assert.equal(await below.send(), 200);
  });
}
