import assert from 'node:assert/strict';
import { chmod, chown, readFile, symlink } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { startAuthority } from '../support/certificates.js';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

const authority = await startAuthority();
after(() => authority[Symbol.asyncDispose]());
const certificate = await authority.issue('IP:127.0.0.1');

/** A server that asks for a certificate, takes none for an answer, and says whose it got. */
async function asking() {
  const ca = [await readFile(authority.caFile, 'utf8')];
  return startHttp(
    (request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? 'nobody');
    },
    { ...certificate, ca, requestCert: true, rejectUnauthorized: false },
  );
}

test('a client certificate is shown to the origins that it was named for, and to no other one', async () => {
  await using server = await asking();
  await using other = await asking();
  await using stranger = await asking();
  const [mine, second] = [await authority.issue('DNS:mine'), await authority.issue('DNS:second')];
  const clientCertificates = [
    { origins: [server.origin], certFile: mine.certFile, keyFile: mine.keyFile },
    { origins: [other.origin], certFile: second.certFile, keyFile: second.keyFile },
  ];
  await using http = testHttp({}, { caFile: authority.caFile, clientCertificates });
  for (const [origin, who] of [
    [server.origin, 'DNS:mine'],
    [other.origin, 'DNS:second'],
    [stranger.origin, 'nobody'],
    [server.origin, 'DNS:mine'],
  ] as const) {
    assert.equal(await textOf(await send(http, `${origin}/mcp`)), who);
  }
});

test('[A-266] a key that others can read is not used, and nothing is sent; a link to a closed one is followed', async () => {
  await using server = await asking();
  const { certFile, keyFile } = await authority.issue('DNS:mine');
  const open = async (key: string) => {
    const clientCertificates = [{ origins: [server.origin], certFile, keyFile: key }];
    await using http = testHttp({}, { caFile: authority.caFile, clientCertificates });
    return await textOf(await send(http, server.origin));
  };
  await chmod(keyFile, 0o640);
  const failure = await failureOf(open(keyFile), 'network_setting_unusable');
  assert.equal(failure.exit, 2);
  assert.match(failure.message, /other users have access to it \(mode 640; chmod 600\)/);
  await failureOf(open('/dev/null'), 'network_setting_unusable');
  await failureOf(open(`${keyFile}.none`), 'network_setting_unusable');
  assert.deepEqual(server.requests, []);
  await chmod(keyFile, 0o600);
  await symlink(keyFile, `${keyFile}.link`);
  assert.equal(await open(`${keyFile}.link`), 'DNS:mine');
  if (process.geteuid?.() === 0) {
    await chown(keyFile, 12_345, 0);
    const foreign = await failureOf(open(keyFile), 'network_setting_unusable');
    assert.match(foreign.message, /belongs to user 12345/);
  }
});

test('a certificate with another one’s key is named as the setting that it is', async () => {
  await using server = await asking();
  const [one, other] = [await authority.issue('DNS:one'), await authority.issue('DNS:other')];
  const clientCertificates = [{ origins: [server.origin], certFile: one.certFile, keyFile: other.keyFile }];
  await using http = testHttp({}, { caFile: authority.caFile, clientCertificates });
  const failure = await failureOf(send(http, server.origin), 'network_setting_unusable');
  assert.match(failure.message, /clientCertificates/);
});
