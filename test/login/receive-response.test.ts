import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { usualRedirectUri } from '../../src/core/configuration/redirect-uri.js';
import { listenForCallback } from '../../src/login/browser/callback-listener.js';
import { receiveResponse } from '../../src/login/receive-response.js';
import { type BrowserAvailability, type CallbackListener, type LoginConsent, Secret } from '../support/product.js';
import { type FakePerson, fakePerson } from './browser/fake-person.js';

const authorizationUrl = 'https://as.example/authorize?client_id=c&state=the-state';
const state = 'the-state';

function listen(): Promise<CallbackListener> {
  return listenForCallback({ ...usualRedirectUri, port: 0 });
}

async function receive(
  person: FakePerson,
  listener: CallbackListener,
  more: { mode?: 'no-browser'; availability?: BrowserAvailability; consent?: LoginConsent } = {},
) {
  listener.arm({
    newRequest: async () => ({ state: new Secret(state), url: authorizationUrl, once: false }),
    consent: more.consent,
  });
  const received = receiveResponse(person.ports, {
    listener,
    mode: 'browser',
    availability: 'desktop',
    pageAdvice: 'Does the page show an error?',
    timeoutMs: 300_000,
    signal: person.signal,
    ...more,
  });
  void listener.address(); // for a test, so that there is a request whose state comes back
  return await received;
}

/** Begins a request and does not wait for its reply, which is held until the login's outcome. */
function visit(url: string): void {
  get(url).on('error', () => {});
}

async function statusAt(url: string): Promise<number | undefined> {
  const [response] = await once(get(url), 'response');
  response.resume();
  return response.statusCode;
}

test('[A-65] [A-70] the opener gets a link of ours alone, the terminal shows another one, and the callback is the answer', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'opened', interactive: true });
  const received = receive(person, listener);
  await person.hasBeenTold('/go/');
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  assert.deepEqual(await received, [
    ['code', 'x'],
    ['state', state],
  ]);
  assert.equal(person.opened.length, 1);
  assert.match(person.opened[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]+$/);
  assert.equal(person.told.length, 2);
  assert.match(person.told[0] ?? '', /If no page opens/);
  assert.match(person.told[1] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]+$/);
  assert.notEqual(person.told[1], person.opened[0]);
  assert.deepEqual(person.events, [{ event: 'login_page', url: person.told[1], redirectUri: listener.redirectUri }]);
  assert.deepEqual([person.questions, person.openWaits()], [[], 0]);
});

test('whoever watches an agent log in is told why the page waits for a yes', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'opened', interactive: false });
  const consent = { program: 'an agent', server: 'https://mcp.example/mcp', issuer: 'https://as.example' };
  const received = receive(person, listener, { consent });
  await person.hasBeenTold('/go/');
  assert.match(person.told[0] ?? '', /^The page asks first whether to log in/);
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  await received;
});

test('[A-70] Enter opens the page again and shows its address, each time by a new link, and not twice within a second', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'opened', interactive: true });
  const received = receive(person, listener);
  await person.hasBeenTold('/go/');
  person.pressEnter();
  assert.equal(person.opened.length, 1, 'a paste that ends with Enter, or a key held down, opens nothing');
  for (const count of [2, 3]) {
    person.timePasses(1_000);
    person.pressEnter();
    assert.equal(person.opened.length, count);
  }
  const links = [...person.opened, ...person.told.filter((line) => line.includes('/go/'))];
  assert.equal(person.told.filter((line) => line.startsWith('Opened again. If no page shows, open')).length, 2);
  assert.equal(links.length, 6);
  assert.equal(new Set(links).size, 6);
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  await received;
  person.timePasses(1_000);
  person.pressEnter();
  assert.equal(person.opened.length, 3, 'afterwards Enter is a key like any other');
});

test('[A-70] once the opener’s link was taken by two browsers, Enter shows the address and gives the opener no other', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'opened', interactive: true });
  const received = receive(person, listener);
  await person.hasBeenTold('/go/');
  for (const status of [303, 410]) assert.equal(await statusAt(person.opened[0] ?? ''), status);
  person.timePasses(1_000);
  person.pressEnter();
  assert.equal(person.opened.length, 1);
  assert.doesNotMatch(person.told.join('\n'), /Opened again/);
  assert.equal(person.told.filter((line) => line.includes('/go/')).length, 2);
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  await received;
});

test('while the browser is open: the time that is left, and after a minute what to do where the page shows an error', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'opened', interactive: true });
  const received = receive(person, listener);
  await person.hasBeenTold('/go/');
  person.timePasses(59_999);
  assert.doesNotMatch(person.told.join('\n'), /Still waiting/);
  person.timePasses(1);
  await person.hasBeenTold('Still waiting; take your time. Does the page show an error?');
  for (const ms of [60_000, 60_000, 10_000, 10_000]) {
    person.timePasses(ms);
    await new Promise(setImmediate);
  }
  assert.match(person.progress[0] ?? '', /^Waiting for the browser \(5 min left; Enter opens the page again\)$/);
  assert.deepEqual(
    person.progress.map((text) => /\((.*) left/.exec(text)?.[1]),
    ['5 min', '4 min', '3 min', '120 s', '110 s', '100 s'],
  );
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  await received;
});

test('[A-73] no browser to open: the address is shown once, and the wait goes on', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'unavailable', interactive: false });
  const received = receive(person, listener);
  await person.hasBeenTold(authorizationUrl);
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  assert.equal((await received)[0]?.[1], 'x');
  assert.equal(person.told.filter((line) => line.includes(authorizationUrl)).length, 1);
  assert.deepEqual(person.questions, [], 'nobody is asked where nobody is');
});

test('[A-73] an opener that ends with an error later on: so it is said, with the address, and the wait goes on', async () => {
  for (const interactive of [true, false]) {
    await using listener = await listen();
    const person = fakePerson({ browser: 'opened', interactive });
    const received = receive(person, listener);
    await person.hasBeenTold('/go/');
    person.openerFails();
    await person.hasBeenTold(authorizationUrl);
    assert.match(
      person.told.join('\n'),
      /\/go\/.*\nThe browser could not be opened, or has ended with an error\.\nOpen this address/,
    );
    person.pressEnter();
    assert.equal(person.opened.length, 1, 'Enter is the end of a paste now');
    visit(`${listener.redirectUri}?code=x&state=${state}`);
    assert.equal((await received)[0]?.[1], 'x');
    assert.equal(person.openWaits(), 0);
  }
});

test('[A-82] without a browser: a wrong paste is explained and asked again, never shown; the right one is the answer', async () => {
  await using listener = await listen();
  const right = `${listener.redirectUri}?code=from-paste&state=${state}`;
  const pastes = ['SplxlOBeZQQY', `${listener.redirectUri}?code=canary&state=other`, '', ` "${right}" `];
  const person = fakePerson({ interactive: true, pastes });
  const answer = await receive(person, listener, { mode: 'no-browser' });
  assert.equal(answer[0]?.[1], 'from-paste');
  assert.deepEqual(person.opened, []);
  assert.equal(person.questions.length, 4);
  assert.ok(person.questions.every(({ hidden }) => hidden));
  const told = person.told.join('\n');
  assert.ok(told.includes(authorizationUrl));
  assert.ok(
    told.indexOf('paste it here') < told.indexOf('Does the page show an error?'),
    'not before something is wrong',
  );
  assert.equal(told.split('Does the page show an error?').length, 2, 'once');
  assert.match(told, /A code alone does not do/);
  assert.match(told, /belongs to another login/);
  assert.match(told, /Nothing was pasted/);
  assert.doesNotMatch(told, /Splxl|canary|from-paste|ssh/);
});

test('a callback that comes while the terminal asks is the answer, and the question is taken back', async () => {
  await using listener = await listen();
  const person = fakePerson({ interactive: true });
  const received = receive(person, listener, { mode: 'no-browser' });
  await person.hasBeenTold(authorizationUrl);
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  assert.equal((await received)[0]?.[1], 'x');
  assert.equal(person.openWaits(), 0);
  assert.doesNotMatch(person.told.join(), /show an error/, 'nothing alarms who does all right');
});

test('over SSH the port-forward line is shown; the end of input is not the end of the wait', async () => {
  await using listener = await listen();
  const person = fakePerson({ interactive: true, pastes: [undefined] });
  const received = receive(person, listener, { mode: 'no-browser', availability: 'ssh' });
  await person.hasBeenTold('ssh -N');
  const { port } = new URL(listener.redirectUri);
  assert.ok(person.told.includes(`ssh -N -L ${port}:127.0.0.1:${port} HOST`));
  visit(`${listener.redirectUri}?code=x&state=${state}`);
  assert.equal((await received)[0]?.[1], 'x');
  assert.equal(person.questions.length, 1);
});

test('where no browser opens, what is the matter and what helps is said, for each kind of place', async () => {
  const cases = [
    ['container', /--network host/],
    ['wsl', /wslview/],
    ['no_display', /DISPLAY/],
    ['desktop', /BROWSER/],
  ] as const;
  for (const [availability, hint] of cases) {
    await using listener = await listen();
    const person = fakePerson({ browser: 'unavailable', interactive: false });
    const received = receive(person, listener, { availability });
    await person.hasBeenTold(authorizationUrl);
    assert.match(person.told.join('\n'), hint, availability);
    visit(`${listener.redirectUri}?code=x&state=${state}`);
    await received;
  }
});

test('[A-111] the deadline ends the wait with advice, and leaves no question behind', async () => {
  await using listener = await listen();
  const person = fakePerson({ interactive: true });
  const received = receive(person, listener, { mode: 'no-browser' });
  await person.hasBeenTold(authorizationUrl);
  person.timePasses();
  await assert.rejects(received, (error: { code?: string; exit?: number; message?: string }) => {
    assert.deepEqual([error.code, error.exit], ['login_timed_out', 6]);
    assert.match(error.message ?? '', /Timed out after 5 minutes/);
    return true;
  });
  assert.deepEqual([person.sleeps, person.openWaits()], [[60_000, 300_000], 0]);
});

test('[A-111] an interruption ends the wait at once with its own reason, though the opener hangs', async () => {
  await using listener = await listen();
  const person = fakePerson({ browser: 'hangs', interactive: true });
  const received = receive(person, listener);
  const interrupted = new Error('Ctrl-C');
  person.interrupt(interrupted);
  await assert.rejects(received, interrupted);
  assert.deepEqual([person.told, person.openWaits()], [[], 0]);
});
