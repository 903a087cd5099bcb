import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage } from '../support/stage-here.js';

/** What the callback address is asked while the program waits; each must change nothing. */
const strays: readonly (readonly [title: string, query: string])[] = [
  ['another state and a code [A-84] [R-5.8e]', 'code=stolen-code-0123456789&state=another-state-0123456789'],
  ['a code and no state [A-85] [R-5.8e]', 'code=stolen-code-0123456789'],
  ['an error and no state [A-86]', 'error=access_denied'],
];

for (const [title, query] of strays) {
  test(`a stray callback with ${title} changes nothing: the wait goes on and the real answer counts`, async () => {
    await using stage = await openStage();
    await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser');
    const url = await authorizationUrlOf(login);
    const redirectUri = new URL(url).searchParams.get('redirect_uri') ?? '';
    const answer = await fetch(`${redirectUri}?${query}`);
    assert.equal(answer.status, 400);
    assert.doesNotMatch(await answer.text(), /stolen|another-state|access_denied/, 'nothing is reflected');
    assert.equal(stage.sandbox.stats.tokenRequests, 0, 'nothing was redeemed');

    await walkLogin(url);
    const { code, stderr } = await login.finished;
    assert.equal(code, 0, stderr);
    assert.equal(stage.sandbox.stats.tokenRequests, 1);
    assert.doesNotMatch(stderr, /stolen-code|another-state/);
    assert.match((await stage.run('token', stage.sandbox.serverUrl)).stdout, /^\S+\n$/);
  });
}
