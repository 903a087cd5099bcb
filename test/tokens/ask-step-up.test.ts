import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogins, type LoginWorld } from '../../src/login/logins.js';
import { askStepUp } from '../../src/tokens/step-up.js';
import { callTool, stepUp } from '../support/flows/calls.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord } from '../support/product.js';

/** As a command without `--login` does it: a question first. */
const asking = (scene: Scene) => {
  const relogin = stepUp(scene);
  const { signal } = new AbortController();
  return async (login: LoginRecord, scopes: readonly string[], begin: () => Promise<void>) => {
    await askStepUp(scene.ports, { login, scopes, signal });
    return relogin(login, scopes, begin);
  };
};

const questions = (scene: Scene) => scene.ports.told.filter((line) => line.includes('[Y/n]')).length;

const addNote = (scene: Scene, login: LoginRecord) =>
  callTool(scene, login, 'note_add', { text: 'x' }, { relogin: asking(scene) });

test('[A-80][R-5.6a] a step-up is asked for at the terminal, with the scope that is new; a yes widens the login', async () => {
  await using scene = await openScene({}, { typed: ['y'], interactive: true });
  const login = await scene.login();
  await addNote(scene, login);
  const shown = scene.ports.told.find((line) => line.includes('needs the scope')) ?? '';
  assert.match(shown, / needs the scope notes:write for this\.$/, 'what is new, and only that');
  assert.ok((await scene.ports.index.read()).logins[0]?.scopes.includes('notes:write'));
});

test('[A-80] a no is a no: exit 4, no browser; a command that is typed again asks again', async () => {
  await using scene = await openScene({}, { typed: ['n', 'no', 'y'], interactive: true });
  const login = await scene.login();
  const opened = scene.ports.opened.length;
  for (const count of [1, 2]) {
    const { exit, remedy } = await failureOf(addNote(scene, login), 'step_up_declined');
    assert.deepEqual([exit, remedy], [4, 'To request it after all, add --login.']);
    assert.equal(questions(scene), count);
  }
  assert.equal(scene.ports.opened.length, opened);
  await addNote(scene, login);
  assert.equal(questions(scene), 3);
});

test('Enter is the yes that the question shows; other words are asked again, three times at most', async () => {
  await using scene = await openScene({}, { typed: ['what?', '', 'maybe', 'sure', 'go on'], interactive: true });
  const login = await scene.login();
  await addNote(scene, login);
  assert.equal(questions(scene), 2);
  const plain = await scene.login({ scopes: ['mcp:basic'] });
  await failureOf(addNote(scene, plain), 'step_up_declined');
  assert.equal(questions(scene), 5);
});

test('[A-80] what was declined at the terminal, no program asks for within the hour; for another account it may', async () => {
  await using scene = await openScene({}, { typed: ['n'], interactive: true });
  const [work, home] = [await scene.login({ account: 'work' }), await scene.login({ account: 'home' })];
  await failureOf(addNote(scene, work), 'step_up_declined');
  const relogin = ofPrograms(scene);
  const add = (login: LoginRecord) => callTool(scene, login, 'note_add', { text: 'x' }, { relogin });
  const opened = scene.ports.opened.length;
  const { message } = await failureOf(add(work), 'step_up_declined');
  assert.match(message, /you declined it within the last hour/);
  assert.equal(scene.ports.opened.length, opened);
  await add(home);
  scene.ports.advance(3_600_000);
  await add(await scene.login({ account: 'work' }));
});

/** How a bridge or proxy gets more scope. */
function ofPrograms(scene: Scene) {
  const world = {
    ...scene.ports,
    ...{ configuration: async () => ({ clients: [] }), clientMetadataUrl: undefined, nonInteractive: false },
    ...{ stderrIsTerminal: false, callerName: () => 'a program', availability: () => 'desktop', env: {} },
    signal: new AbortController().signal,
  } as unknown as LoginWorld;
  const relogin = createLogins(world).reloginForPrograms({ browser: true, noBrowser: false });
  assert.ok(relogin);
  return relogin;
}
