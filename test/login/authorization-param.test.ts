import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLook } from '../../src/core/text/look.js';
import { deviceLogin } from '../../src/login/device/device-login.js';
import { loginJson, loginLines, loginStatus } from '../../src/login/status/login-status.js';
import {
  addedParameters,
  authorizationRequestParameters,
  parametersProblem,
  usualParameters,
} from '../../src/oauth/authorization-request.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';

test('--authorization-param: asked with, kept for the next login and a step-up, replaced by those given anew, shown', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wish = { server: own.server.url };
  const parameters = ['audience=https://api.example/a b', 'kc_idp_hint=github'];
  const login = await scene.login({ ...wish, parameters });
  await scene.login(wish);
  await scene.login({ ...wish, heldScopes: ['a'], scopes: ['b'] });
  const asked = own.issuer.authorizations.map((one) => [one.get('audience'), one.get('kc_idp_hint')]);
  assert.deepEqual(asked, Array(3).fill(['https://api.example/a b', 'github']));
  const status = loginStatus(login, Date.now());
  assert.match(loginLines(status, Date.now(), plainLook).join('\n'), /asks with +audience=\S+ b, kc_idp_hint=github/);
  assert.deepEqual(loginJson(status)['authorizationParams'], parameters);
  const again = await scene.login({ ...wish, parameters: ['audience='] });
  const last = own.issuer.authorizations.at(-1);
  assert.deepEqual(
    [last?.has('audience'), last?.has('kc_idp_hint')],
    [false, false],
    'no value: left out (RFC 6749 3.1)',
  );
  assert.deepEqual(again.authorizationParams, ['audience=']);
});

test('it is in a pushed request, too, and in the request for a code to type', async () => {
  await using scene = await openScene({ pushedRequests: 'required' });
  const parameters = ['domain_hint=example.com'];
  await scene.login({ parameters });
  await deviceLogin(scene.ports, scene.request({ account: 'typed', parameters, timeoutMs: 1 })).catch(() => undefined);
  for (const path of ['/pushed', '/device/authorization']) {
    const request = scene.sandbox.requests.find((one) => one.path === path);
    assert.equal(Object.fromEntries(request?.params ?? [])['domain_hint'], 'example.com', path);
  }
});

test('what an answer’s safety hangs on cannot be given, however it is spelled, nor twice, nor without end', () => {
  const refused = `client_id client_secret redirect_uri response_type response_mode state nonce scope resource code_challenge
    code_challenge_method request request_uri dpop_jkt iss`;
  for (const name of refused.split(/\s+/)) {
    assert.match(parametersProblem([`${name}=x`]) ?? '', /postern sets \w+ itself/, name);
    assert.match(parametersProblem([`${name.toUpperCase()}=x`]) ?? '', /postern sets \w+ itself/, name);
  }
  for (const given of [
    ['a'],
    ['=x'],
    ['a b=x'],
    ['a=x\n'],
    ['a=\u009b31m'],
    ['a=\ud800'],
    ['a=x', 'a=y'],
    ['a=é'.padEnd(2048, 'x')],
  ]) {
    assert.notEqual(parametersProblem(given), undefined, JSON.stringify(given));
  }
  assert.equal(parametersProblem(['a='.padEnd(2048, 'x')]), undefined);
  assert.equal(parametersProblem(['access_type=offline', 'claims={"a=b":"ü & ?"}', 'prompt=', 'x-y.z=1']), undefined);
});

test('an index that another program has changed sends nothing else either: what is ours is as we set it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wish = { server: own.server.url };
  await scene.login(wish);
  const authorizationParams = ['redirect_uri=https://evil.example', 'Request_URI=https://evil.example', 'nonce=x'];
  await scene.ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((login) => ({ ...login, authorizationParams })),
  }));
  await scene.login(wish);
  const sent = own.issuer.authorizations.at(-1);
  assert.match(sent?.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual([sent?.has('Request_URI'), sent?.has('nonce')], [false, false]);
});

const asked = { clientId: 'c', redirectUri: 'r', resource: 'u', scopes: ['a'], state: 's', codeChallenge: 'x' };

test('Google gives a refresh token for access_type=offline alone: asked for by itself, unless a person says otherwise', () => {
  for (const issuer of ['https://accounts.google.com', 'https://accounts.google.com/']) {
    const at = (texts: readonly string[] = [], page = {}) =>
      authorizationRequestParameters({
        ...asked,
        page,
        added: { ...usualParameters(issuer), ...addedParameters(texts) },
      });
    assert.deepEqual([at()['access_type'], at()['prompt']], ['offline', 'consent']);
    const added = ['access_type=online', 'prompt=', 'hd=example.com'];
    const { access_type: type, prompt, hd } = at(added);
    assert.deepEqual([type, prompt, hd], ['online', undefined, 'example.com']);
    assert.equal(at(['prompt=consent'], { prompts: ['login'] })['prompt'], 'login', '--prompt is of this login');
  }
  for (const issuer of [
    'https://accounts.google.com.evil.example',
    'https://accounts.google.com/x',
    'https://as.example',
  ]) {
    const elsewhere = authorizationRequestParameters({ ...asked, added: usualParameters(issuer) });
    assert.deepEqual([elsewhere['access_type'], elsewhere['prompt']], [undefined, undefined], issuer);
  }
});

test('where no refresh token came, login and status say when it ends for good', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onToken = () => [200, { access_token: 'a', token_type: 'Bearer', expires_in: 3600 }];
  const login = await scene.login({ server: own.server.url });
  const lines = loginLines(loginStatus(login, login.obtainedAt), login.obtainedAt, plainLook).join('\n');
  assert.match(lines, /state +valid for 60 minutes, then it ends for good: no refresh token came/);
});

test('with another set of parameters a login is made, and none is taken that another process has just made without', async () => {
  const { staysWith } = await import('../../src/login/login-again.js');
  await using scene = await openScene({}, { interactive: true, typed: [''] });
  const login = await scene.login({ parameters: ['audience=a'] });
  const world = {
    ...scene.ports,
    givenHeaders: async () => undefined,
    env: {},
    json: false,
    signal: new AbortController().signal,
    tell: () => undefined,
    tellLook: plainLook,
  };
  const { server, account } = login;
  const { signal } = world;
  const stays = (parameters: readonly string[]) =>
    staysWith(world, login, { force: false, clientCredentials: false } as never, {
      ...{ server, account, parameters, client: {}, scopes: { named: undefined, held: [] }, signal },
    });
  assert.equal(await stays(['audience=b']), false);
  assert.equal(
    scene.ports.told.some((line) => line.includes('Log in again?')),
    false,
  );
  assert.equal(await stays(['audience=a']), true);
});
