import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoginRecord } from '../../src/core/records.js';
import { askStepUp } from '../../src/tokens/step-up.js';
import { callTool, stepUp } from '../support/flows/calls.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

/** As a command without `--login` does it: a question first. */
const asking = (scene: Scene) => {
  const relogin = stepUp(scene);
  const { signal } = new AbortController();
  return async (login: LoginRecord, scopes: readonly string[], begin: () => Promise<void>) => {
    await askStepUp(scene.ports, { login, scopes, signal });
    return relogin(login, scopes, begin);
  };
};

const questions = (scene: Scene) => scene.ports.told.filter((line) => line.includes('[y/N]')).length;

const addNote = (scene: Scene, login: LoginRecord) =>
  callTool(scene, login, 'note_add', { text: 'x' }, { relogin: asking(scene) });

test('[A-80][R-5.6a] a step-up is asked for at the terminal, with the scope that is new; a yes widens the login', async () => {
  await using scene = await openScene({}, { typed: ['y'], interactive: true });
  const login = await scene.login();
  await addNote(scene, login);
  const shown = scene.ports.told.find((line) => line.includes('wants more scope')) ?? '';
  assert.match(shown, /: notes:write$/, 'what is new, and only that');
  assert.ok((await scene.ports.index.read()).logins[0]?.scopes.includes('notes:write'));
});

test('[A-80] anything but yes is a no: exit 4, no browser, and no second question for that scope within the hour', async () => {
  await using scene = await openScene({}, { typed: ['', 'y'], interactive: true });
  const login = await scene.login();
  const opened = scene.ports.opened.length;
  assert.equal((await failureOf(addNote(scene, login), 'step_up_declined')).exit, 4);
  assert.equal((await failureOf(addNote(scene, login), 'step_up_declined')).exit, 4);
  assert.equal(questions(scene), 1);
  assert.equal(scene.ports.opened.length, opened);
  scene.ports.advance(3_600_000);
  const again = await scene.login();
  await addNote(scene, again);
  assert.equal(questions(scene), 2);
});
