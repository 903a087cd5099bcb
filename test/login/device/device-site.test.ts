import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceLogin } from '../../../src/login/device/device-login.js';
import { otherSiteOf } from '../../../src/login/device/show-code.js';
import { login } from '../../../src/login/log-in.js';
import type { FlowOptions } from '../../support/flow-ports.js';
import { hurried } from '../../support/flows/hurried.js';
import { type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { startHttp } from '../../support/http-server.js';
import { Secret, walkLogin } from '../../support/product.js';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';

/** An authorization server that hands on a code which somebody else began, at the site `place`; it is allowed at once. */
async function relaying(place: string): Promise<OwnScene & { readonly polled: () => number }> {
  const own = await openOwnScene();
  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
  const { onToken } = own.issuer;
  let polled = 0;
  own.issuer.onToken = (form) => {
    if (form.fields.get('grant_type') === grant) polled += 1;
    if (form.fields.has('grant_type')) return onToken(form);
    const code = { device_code: 'd', user_code: 'ABCD-EFGH', expires_in: 600, interval: 5 };
    return [200, { ...code, verification_uri: `${place}/device` }];
  };
  return Object.assign(own, { polled: () => polled });
}

/** A login of that kind at such a server, by a person who types these words; what was told, and what came of it. */
async function meets(flow: Partial<FlowOptions>, logIn: typeof login, again = false) {
  await using elsewhere = await startHttp((_, response) => void response.writeHead(200).end());
  await using own = await relaying(elsewhere.origin);
  await using scene = await openScene({}, flow);
  if (again) await scene.login({ server: own.server.url });
  const before = scene.ports.told.length;
  const { ports } = hurried(scene.ports, async () => undefined);
  const tell = (line: string) => {
    ports.terminal.tell(line);
    const isAddress = /response_type=code/.test(line);
    // Who is shown no code logs in by the address.
    if (isAddress && !flow.typed?.includes('y')) walkLogin(line).catch(() => undefined);
  };
  const request = scene.request({ server: own.server.url, mode: 'no-browser' });
  const outcome = await logIn({ ...ports, terminal: { ...ports.terminal, tell } }, request).catch(
    (error: unknown) => error,
  );
  const told = scene.ports.told.slice(before).join('\n');
  return { outcome, told, polled: own.polled(), site: new URL(elsewhere.origin).host, elsewhere };
}

test('[A-83] beside the address a code for another site is not shown, nor asked about, where nobody can say yes', async () => {
  const { told, polled, outcome, elsewhere } = await meets({}, login);
  assert.doesNotMatch(told, /ABCD-EFGH|code there/);
  assert.equal(polled, 0);
  assert.ok(typeof outcome === 'object' && outcome !== null && 'issuer' in outcome, String(outcome));
  assert.deepEqual(elsewhere.requests, []);
});

test('[A-83] at a terminal the other site is named first: anything but yes shows no code, a yes does', async () => {
  for (const word of ['n', '', 'yes please']) {
    const { told, polled, site } = await meets({ interactive: true, typed: [word] }, login);
    assert.ok(told.includes(`Show a code for ${site}?`), told);
    assert.doesNotMatch(told, /ABCD-EFGH/);
    assert.equal(polled, 0);
  }
  const { told, polled } = await meets({ interactive: true, typed: ['y'] }, login);
  assert.ok(told.indexOf('Show a code for') < told.indexOf('ABCD-EFGH'), told);
  assert.equal(polled, 1);
});

test('[A-83] --device: another site needs a yes, and where nobody can be asked an authorization server that is known', async () => {
  const unasked = await meets({}, deviceLogin);
  const refused = await failureOf(Promise.reject(unasked.outcome), 'device_site_refused');
  assert.deepEqual([refused.exit, unasked.polled], [3, 0]);
  assert.match(refused.remedy, /^Run in a terminal: postern login \S+ --device$/);
  assert.doesNotMatch(unasked.told, /ABCD-EFGH/);
  const declined = await meets({ interactive: true, typed: ['n'] }, deviceLogin);
  const failure = await failureOf(Promise.reject(declined.outcome), 'device_site_refused');
  assert.deepEqual([failure.exit, declined.polled], [4, 0]);
  assert.ok(failure.message.includes(declined.site), failure.message);
  const agreed = await meets({ interactive: true, typed: ['yes'] }, deviceLogin);
  assert.deepEqual([agreed.polled, /ABCD-EFGH/.test(agreed.told)], [1, true]);
  const known = await meets({}, deviceLogin, true);
  assert.deepEqual([known.polled, /ABCD-EFGH/.test(known.told)], [1, true]);
});

test('[A-83] the own site is the issuer’s origin and hosts below it; parents, neighbours and other ports are other sites', () => {
  const issuer = 'https://auth.example.com/tenant';
  const siteOf = (verificationUri: string, verificationUriComplete?: string, of = issuer) =>
    otherSiteOf(of, {
      ...{ verificationUri, verificationUriComplete, userCode: 'x', deviceCode: new Secret('d') },
      ...{ lifetimeMs: 1, intervalMs: 1 },
    });
  for (const own of ['https://auth.example.com/device', 'https://login.auth.example.com/']) {
    assert.equal(siteOf(own), undefined);
  }
  for (const [other, site] of [
    ['https://example.com/device', 'example.com'],
    ['https://www.example.com/device', 'www.example.com'],
    ['https://evilauth.example.com/', 'evilauth.example.com'],
    ['https://auth.example.com.evil.example/', 'auth.example.com.evil.example'],
    ['https://auth.example.com:8443/', 'auth.example.com:8443'],
    ['http://auth.example.com/', 'auth.example.com'],
    ['https://login.auth.example.com:8443/', 'login.auth.example.com:8443'],
    ['http://login.auth.example.com/', 'login.auth.example.com'],
  ] as const) {
    assert.equal(siteOf(other), site);
  }
  assert.equal(siteOf('https://auth.example.com/d', 'https://evil.example/d?c=1'), 'evil.example');
  assert.equal(siteOf('http://sub.auth.example.com:443/'), 'sub.auth.example.com:443');
  assert.equal(siteOf('https://127.0.0.2/', undefined, 'https://127.0.0.1/'), '127.0.0.2');
});
