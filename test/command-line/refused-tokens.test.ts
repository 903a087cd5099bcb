import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { bridgeOn } from '../bridge/host.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';

const skipAtTerminal = needs('gnome-keyring', 'secret-tool', 'script');

/** A server that refuses every token, however fresh, and an authorization server that gives no refresh token. */
async function refusing(): Promise<OwnScene> {
  const own = await openOwnScene();
  let count = 0;
  own.issuer.onToken = () => {
    count += 1;
    return [200, { access_token: `access-${count}`, token_type: 'Bearer', expires_in: 300 }];
  };
  own.server.whenAuthorized = (_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  };
  return own;
}

/** A person who says yes on every tab that opens, as long as the scope lasts. */
function answersTabs(stage: Stage): AsyncDisposable {
  let over = false;
  const done = (async () => {
    for (let answered = 0; !over; ) {
      const links = [...stage.browser.all];
      for (const link of links.slice(answered)) await walkLogin(link).catch(() => undefined);
      answered = links.length;
      await later(20);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      over = true;
      await done;
    },
  };
}

function tabs(stage: Stage): number {
  return stage.browser.all.length;
}

for (const command of [
  ['call', '--login'],
  ['request', '--login', '-d', '{}'],
]) {
  const words = command.slice(0, 2).join(' ');
  test(`[A-78][A-146][A-256] ${words} at a server that refuses fresh tokens: one login, one registration, one tab, however often it is run`, async () => {
    await using own = await refusing();
    await using stage = await openStage();
    await using _person = answersTabs(stage);
    const [name = '', ...options] = command;
    for (let runs = 0; runs < 4; runs += 1) {
      const { code, stderr } = await stage.run(name, own.server.url, ...options);
      assert.equal(code, 3, stderr);
      assert.ok(stderr.includes(`postern login localhost`), stderr);
    }
    assert.equal(tabs(stage), 1);
    assert.deepEqual([own.issuer.registrations.length, own.issuer.forms.length], [1, 1]);
  });
}

test('[A-78][A-146] a bridge at a server that refuses fresh tokens: one tab, for all requests and all starts', async () => {
  await using own = await refusing();
  await using stage = await openStage();
  await using _person = answersTabs(stage);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  for (let starts = 0; starts < 3; starts += 1) {
    await using host = bridgeOn(stage, own.server.url);
    for (let id = 1; id < 4; id += 1) {
      const { error } = await host.ask({ id, method: 'initialize', params });
      assert.equal(error?.data?.['code'], 'token_refused', JSON.stringify(error));
    }
  }
  assert.equal(tabs(stage), 1);
});

test('[A-78][A-146] a proxy in a terminal at a server that refuses fresh tokens: one tab, for all requests', {
  skip: skipAtTerminal,
}, async () => {
  await using own = await refusing();
  await using stage = await openStage();
  await using _person = answersTabs(stage);
  await using proxy = await stage.atTerminal('proxy', own.server.url);
  const [address] = await proxy.screen.waitForStdout(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/\S+/);
  while (own.server.tokens.length < 4) {
    const response = await fetch(address, { method: 'POST', body: '{}' });
    assert.equal(response.status, 401, await response.text());
    await later(50); // a failure answers for a second without another look at the server
  }
  assert.equal(tabs(stage), 1);
});

test('[A-78] a token that worked, and is refused later, is a login anew: the brake is for first tokens', async () => {
  await using own = await refusing();
  await using stage = await openStage();
  await using _person = answersTabs(stage);
  const refuse = own.server.whenAuthorized;
  const accept: typeof refuse = (_, response) => void response.writeHead(200).end('{}');
  for (let logins = 1; logins < 4; logins += 1) {
    own.server.whenAuthorized = accept;
    assert.equal((await stage.run('request', own.server.url, '--login', '-d', '{}')).code, 0);
    assert.equal(tabs(stage), logins);
    own.server.whenAuthorized = (request, response) => {
      own.server.whenAuthorized = accept;
      refuse(request, response);
    };
    assert.equal((await stage.run('request', own.server.url, '--login', '-d', '{}')).code, 0);
    assert.equal(tabs(stage), logins + 1);
  }
});
