import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceLogin } from '../../../src/login/device/device-login.js';
import { otherSiteOf } from '../../../src/login/device/show-code.js';
import type { FlowOptions } from '../../support/flow-ports.js';
import { hurried } from '../../support/flows/hurried.js';
import { type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { startHttp } from '../../support/http-server.js';
import { Secret } from '../../support/product.js';

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

/** A login by a code at such a server, by a person who types these words; what was told, and what came of it. */
async function meets(flow: Partial<FlowOptions>, again = false) {
  await using elsewhere = await startHttp((_, response) => void response.writeHead(200).end());
  await using own = await relaying(elsewhere.origin);
  await using scene = await openScene({}, flow);
  if (again) await scene.login({ server: own.server.url });
  const before = scene.ports.told.length;
  const { ports } = hurried(scene.ports, async () => undefined);
  const request = scene.request({ server: own.server.url });
  const outcome = await deviceLogin(ports, request).catch((error: unknown) => error);
  const told = scene.ports.told.slice(before).join('\n');
  return {
    outcome,
    told,
    polled: own.polled(),
    site: new URL(elsewhere.origin).host,
    asked: elsewhere.requests.length,
  };
}

test('[A-83] --device: another site needs a yes, and where nobody can be asked an authorization server that is known', async () => {
  const unasked = await meets({});
  const refused = await failureOf(Promise.reject(unasked.outcome), 'device_site_refused');
  assert.deepEqual([refused.exit, unasked.polled, unasked.asked], [3, 0, 0]);
  assert.match(refused.remedy, /^Run in a terminal: postern login \S+ --device$/);
  assert.doesNotMatch(unasked.told, /ABCD-EFGH/);
  for (const word of ['', 'yes please']) {
    const { told, polled } = await meets({ interactive: true, typed: [word] });
    assert.deepEqual([/ABCD-EFGH/.test(told), polled], [false, 0]);
  }
  const declined = await meets({ interactive: true, typed: ['n'] });
  const failure = await failureOf(Promise.reject(declined.outcome), 'device_site_refused');
  assert.deepEqual([failure.exit, declined.polled], [4, 0]);
  assert.ok(failure.message.includes(declined.site), failure.message);
  const agreed = await meets({ interactive: true, typed: ['yes'] });
  assert.deepEqual([agreed.polled, /ABCD-EFGH/.test(agreed.told)], [1, true]);
  const known = await meets({}, true);
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
