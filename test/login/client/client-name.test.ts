import assert from 'node:assert/strict';
import { test } from 'node:test';
import { login } from '../../../src/login/log-in.js';
import { knownClientName } from '../../../src/sandbox/faults/registration.js';
import { openScene, type Scene, type WantedLogin } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import type { PersonLogin } from '../../support/product.js';

const namesAsked = ({ sandbox }: Scene) =>
  sandbox.requests.filter(({ path }) => path === '/register').map(({ body }) => JSON.parse(body)['client_name']);

function as(scene: Scene, name: string | undefined, change: Partial<WantedLogin> = {}): PersonLogin {
  const request = scene.request(change);
  return { ...request, client: { ...request.client, name } };
}

test('an authorization server that registers known names alone: the refusal names the option, with it the login works and is kept', async () => {
  await using scene = await openScene({ faults: ['registration-known-names'] });
  const { ports } = scene;
  const refused = await scene.loginFails('registration_refused');
  assert.match(refused.remedy, /--client-name NAME/);
  const wrong = await failureOf(login(ports, as(scene, 'Another Name')), 'registration_refused');
  assert.match(wrong.remedy, /“Another Name” \(--client-name\)/);

  const made = await login(ports, as(scene, knownClientName));
  assert.equal(made.clientName, knownClientName);
  assert.deepEqual(namesAsked(scene), ['postern', 'Another Name', knownClientName]);

  // Nobody has to say it twice: the registration is used again, and one that is forgotten is made under that name.
  assert.equal((await scene.login()).clientId, made.clientId);
  assert.equal(namesAsked(scene).length, 3);
  await ports.index.update((document) => ({ ...document, registrations: [] }));
  const again = await scene.login();
  assert.equal(again.clientName, knownClientName);
  assert.deepEqual(namesAsked(scene).slice(3), [knownClientName]);
  // Nor at another server of this authorization server, as far as it knows.
  const other = await scene.login({ account: 'other' });
  assert.equal(other.clientId, again.clientId);
});

test('another name is another registration, and the own one comes back by its name', async () => {
  await using scene = await openScene();
  const first = await scene.login();
  const second = await login(scene.ports, as(scene, 'A Name'));
  assert.notEqual(second.clientId, first.clientId);
  const third = await login(scene.ports, as(scene, 'postern'));
  assert.deepEqual(namesAsked(scene), ['postern', 'A Name', 'postern']);
  assert.equal(third.clientName, 'postern');
});

test('who chooses a name registers with it, where a metadata document would do, too', async () => {
  await using scene = await openScene();
  const made = await login(scene.ports, as(scene, 'A Name', { metadataUrl: 'https://postern.invalid/client.json' }));
  assert.deepEqual([made.registration, made.clientName], ['dynamic', 'A Name']);
});

test('where nobody registers by itself a name is refused, before anything is sent to register', async () => {
  await using scene = await openScene({ registration: false });
  const failure = await failureOf(login(scene.ports, as(scene, 'A Name')), 'usage');
  assert.match(failure.message, /--client-name is for dynamic registration/);
});

test('the login page is told who is to log in, and what to ask, in the place of the usual', async () => {
  await using scene = await openScene();
  const { ports } = scene;
  const asked = async (page: PersonLogin['page']) => {
    await login(ports, { ...scene.request(), page });
    const [last] = scene.sandbox.requests.filter(({ path }) => path === '/authorize').slice(-1);
    const { prompt, login_hint: hint } = Object.fromEntries(last?.params ?? []);
    return [prompt, hint];
  };
  assert.deepEqual(await asked(undefined), ['consent', undefined]);
  assert.deepEqual(await asked({ loginHint: 'alice@example.com & co', prompts: [] }), [
    'consent',
    'alice@example.com & co',
  ]);
  assert.deepEqual(await asked({ loginHint: undefined, prompts: ['login', 'consent'] }), ['login consent', undefined]);
});

test('what is pushed has them as well', async () => {
  await using scene = await openScene({ pushedRequests: 'required' });
  await login(scene.ports, { ...scene.request(), page: { loginHint: 'alice', prompts: ['consent'] } });
  const pushed = scene.sandbox.requests.find(({ path }) => path === '/pushed' || path === '/request');
  assert.equal(Object.fromEntries(pushed?.params ?? [])['login_hint'], 'alice');
  assert.ok(
    !scene.sandbox.requests.some(
      (one) => one.path === '/authorize' && one.params.some(([name]) => name === 'login_hint'),
    ),
  );
});
