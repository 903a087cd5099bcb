import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { walkLogin } from '../../src/sandbox/walk.js';
import { openScene } from './scene.js';

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
    listen: async (options: { readonly port: number }) => {
      const listener = await listen(options);
      const answer = listener.answer.bind(listener);
      listener.answer = async (signal) => {
        const response = await answer(signal);
        await come(); // between the response and its redemption
        return response;
      };
      return listener;
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
    const { scene, redeemed } = await openTheft({
      interactive: true,
      typed: typed === undefined ? [] : [typed],
    });
    await using _scene = scene;
    if (count === 0) await scene.loginFails('link_taken_twice');
    else await scene.login();
    assert.equal(redeemed(), count, typed);
    assert.match(scene.ports.told.join('\n'), /used by two browsers.*\[y\/N\]/s);
  }
});
