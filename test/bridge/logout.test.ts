import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf, logIn } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage } from '../support/stage-here.js';
import { bridgeOn } from './host.js';

const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } };

test('[A-232] a logout ends a running bridge’s token, though the server would take it; somebody else’s login is theirs', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await logIn(stage);
  await using host = bridgeOn(stage, serverUrl, '--non-interactive');
  await host.open();
  let id = 1;
  const ask = async (): Promise<string> => {
    id += 1;
    return JSON.stringify(await host.ask({ id, ...whoami }));
  };
  /** What is answered once it looks like this; a token is believed for some seconds. */
  const answered = async (like: RegExp): Promise<void> => {
    for (let text = await ask(); !like.test(text); text = await ask()) {
      assert.ok(id < 200, text);
      stage.advance(1_000);
    }
  };
  await answered(/alice/);
  assert.equal((await stage.run('logout', serverUrl)).code, 0);
  await answered(/login_needed/);
  await using login = stage.start('login', serverUrl, '--no-browser');
  await walkLogin(await authorizationUrlOf(login), { account: 'bob' });
  assert.equal((await login.finished).code, 0);
  await answered(/bob/);
  assert.doesNotMatch(await ask(), /alice/);
});
