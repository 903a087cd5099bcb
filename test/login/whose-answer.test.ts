import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openScene } from '../support/flows/scene.js';
import { walkLogin } from '../support/product.js';

/** Somebody reads the opener's arguments, is quicker than the browser, and logs in; then the browser comes. */
async function openTheft(flow: { readonly interactive?: boolean; readonly typed?: readonly string[] } = {}) {
  const visits: number[] = [];
  let come = async (): Promise<void> => undefined;
  const scene = await openScene(
    {},
    {
      ...flow,
      browse: async (url) => {
        come = async () => {
          const [response] = await once(get(url), 'response');
          visits.push(response.resume().statusCode);
        };
        await walkLogin(url, { account: 'bob' });
      },
    },
  );
  const { listen } = scene.ports.listeners;
  const listeners = {
    listen: async (options: Parameters<typeof listen>[0]) => {
      const listener = await listen(options);
      const response = listener.response.then(async (one) => {
        await come(); // between the response and its redemption
        return one;
      });
      return Object.defineProperty(listener, 'response', { value: response });
    },
  };
  Object.assign(scene.ports, { listeners });
  return { scene, visits, redeemed: () => scene.sandbox.stats.tokenRequests };
}

test('[A-70] the link is taken again between the response and its redemption: nothing is redeemed where nobody can be asked', async () => {
  const { scene, visits, redeemed } = await openTheft();
  await using _scene = scene;
  const failure = await scene.loginFails('link_taken_twice');
  assert.equal(failure.exit, 4);
  assert.deepEqual([visits, redeemed()], [[410], 0]);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
});

test('[A-70] at a terminal the person is asked before anything is redeemed; only yes is yes', async () => {
  for (const [typed, count] of [
    ['n', 0],
    ['', 0],
    [undefined, 0],
    ['yonder', 0],
    ['y', 1],
  ] as const) {
    const { scene, redeemed } = await openTheft({ interactive: true, typed: typed === undefined ? [] : [typed] });
    await using _scene = scene;
    if (count === 0) await scene.loginFails('link_taken_twice');
    else await scene.login();
    assert.equal(redeemed(), count, typed);
    assert.match(scene.ports.told.join('\n'), /used by two browsers.*\[y\/N\]/s);
  }
});

/** Opens an address as a browser does, with its cookie. */
async function open(url: string, cookie = '') {
  const [response] = (await once(get(url, { headers: { cookie }, agent: false }), 'response')) as [IncomingMessage];
  response.resume();
  const [line = ''] = response.headers['set-cookie'] ?? [];
  return { location: response.headers.location ?? '', cookie: line.split(';')[0] ?? '' };
}

/**
 * Somebody takes the opener's link, and the person's browser the terminal's; then the person's browser is led to the
 * callback with the code of `whose` login page.
 */
async function openLure(whose: 'thief' | 'person', flow: Parameters<typeof openTheft>[0] = {}) {
  const codes: string[] = [];
  const scene = await openScene(
    {},
    {
      ...flow,
      browse: async (opened) => {
        const thief = await open(opened);
        while (shown() === undefined) await setTimeout(10);
        const person = await open(shown() ?? '');
        const of = { thief, person }[whose];
        const stopBefore = '/callback';
        const { finalUrl } = await walkLogin(of.location, { account: 'bob', stopBefore });
        codes.push(new URL(finalUrl).searchParams.get('code') ?? '');
        await open(finalUrl, person.cookie);
      },
    },
  );
  const shown = () => scene.ports.told.find((line) => line.includes('/go/'));
  const sent = () => scene.sandbox.requests.filter(({ path }) => path === '/token');
  return { scene, codes, sent };
}

test('[A-70] the person’s browser, which took the terminal’s link, is led to the callback with the code of whoever took the opener’s: nothing is redeemed', async () => {
  const { scene, codes, sent } = await openLure('thief');
  await using _scene = scene;
  await scene.loginFails('link_taken_twice');
  assert.deepEqual([codes.length, sent()], [1, []]);
  const asked = await openLure('thief', { interactive: true, typed: ['n'] });
  await using _asked = asked.scene;
  await asked.scene.loginFails('link_taken_twice');
  assert.deepEqual(asked.sent(), []);
});

test('[A-70] the answer to the request of the terminal’s link is redeemed with its own verifier, unasked, though somebody took the opener’s', async () => {
  const { scene, codes, sent } = await openLure('person');
  await using _scene = scene;
  await scene.login();
  assert.deepEqual(
    sent().map(({ params }) => new Map(params).get('code')),
    codes,
  );
  const asked = scene.sandbox.requests.filter(({ path }) => path === '/authorize').map((one) => new Map(one.params));
  assert.equal(asked.length, 1);
  assert.doesNotMatch(scene.ports.told.join('\n'), /y\/N/);
});
