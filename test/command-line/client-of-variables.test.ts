import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridgeOn } from '../bridge/host.js';
import { runHere, startHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';

const secret = 'canary-of-a-client-secret-0123456789';

/** A stage whose authorization server knows one client, and whose environment holds it. */
async function openWithClient() {
  const redirect_uris = ['http://127.0.0.1/callback'];
  const clients = [{ client_id: 'confidential', client_secret: secret, redirect_uris }];
  const stage = await openStage({ registration: false, metadataDocuments: false, clients });
  const file = join(stage.home.path, 'secret.txt');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const variables = { POSTERN_CLIENT_ID: 'confidential', POSTERN_CLIENT_SECRET_FILE: file };
  const homeWith = (more = {}) => ({ ...stage.home, env: { ...stage.home.env, ...variables, ...more } });
  return { stage, homeWith };
}

const sent = (stage: Stage) => stage.sandbox.requests.filter(({ path }) => path.endsWith('/token')).length;

test('[A-58] POSTERN_CLIENT_ID with its secret logs in where POSTERN_AUTHORIZATION_SERVER names the issuer, else exit 2', async () => {
  const { stage, homeWith } = await openWithClient();
  await using _stage = stage;
  const { serverUrl, issuer } = stage.sandbox;
  const refused = await runHere(homeWith(), ['login', serverUrl], '', stage);
  assert.equal(refused.code, 2, refused.stderr);
  assert.ok(
    refused.stderr.includes(`run: postern login ${serverUrl} --authorization-server ${issuer}`),
    refused.stderr,
  );
  assert.deepEqual(stage.browser.all, []);
  await using login = startHere(homeWith({ POSTERN_AUTHORIZATION_SERVER: issuer }), ['login', serverUrl], stage);
  await walkLogin(await stage.browser.opened());
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
});

test('[A-58] bridge and call --login take the client of the variables, for its issuer alone', async () => {
  const { stage, homeWith } = await openWithClient();
  await using _stage = stage;
  const { serverUrl, issuer } = stage.sandbox;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  {
    await using host = bridgeOn({ ...stage, home: homeWith() }, serverUrl);
    const { error } = await host.ask({ id: 1, method: 'initialize', params });
    assert.equal(error?.data?.['code'], 'client_secret_unbound', JSON.stringify(error));
    assert.match(String(error?.data?.['remedy']), /set POSTERN_AUTHORIZATION_SERVER=/);
  }
  assert.equal(sent(stage), 0);
  const bound = homeWith({ POSTERN_AUTHORIZATION_SERVER: issuer });
  {
    await using host = bridgeOn({ ...stage, home: bound }, serverUrl);
    const opened = host.open();
    await walkLogin(await stage.browser.opened());
    assert.ok((await opened).result !== undefined);
  }
  await stage.browser.forget();
  await using call = startHere(bound, ['call', serverUrl, '--login', '--store', 'memory'], stage);
  await walkLogin(await stage.browser.opened());
  const { code, stderr } = await call.finished;
  assert.equal(code, 0, stderr);
});
