import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineServer } from '../../../src/doctor/examine-server.js';
import { reportLines } from '../../../src/doctor/forms/for-people.js';
import { bundleOf, junitXml, reportJson } from '../../../src/doctor/forms/for-programs.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { startHttp } from '../../support/http-server.js';
import { doctorWorld, examineWhole } from '../doctor-world.js';

const cookie = 'canary-cookie-value';
const session = 'canary-session-value';
const hostile = '\u001b[2J\u202e]]><x a="\'&';

/** A server whose every text is aimed at whoever prints it. */
const hostileServer = () =>
  startHttp((request, response) => {
    if (request.url?.startsWith('/.well-known') === true) {
      const document = { resource: `https://evil.example/${hostile}`, authorization_servers: [hostile] };
      response
        .writeHead(200, { 'content-type': 'application/json', 'set-cookie': cookie })
        .end(JSON.stringify(document));
      return;
    }
    response.writeHead(401, {
      'www-authenticate': `Bearer error="x]]><script>", error_description="&quot;", scope="a<b"`,
      'mcp-session-id': session,
      'set-cookie': cookie,
    });
    response.end(hostile);
  });

async function examineHostile() {
  await using server = await hostileServer();
  await using scene = await openScene();
  const target = { server: `${server.origin}/mcp`, held: undefined, headers: [], signal: new AbortController().signal };
  const examined = await examineServer(doctorWorld(scene), target);
  return { ...examined, subject: target.server };
}

test('doctor: no form of its report lets a control character, markup, a cookie or a session through', async () => {
  const { report, exchanges, subject } = await examineHostile();
  assert.equal(report.firstCause?.id, 'resource-mismatch');
  const look = { width: 80, color: false };
  const xml = junitXml(subject, report);
  const texts = [
    reportLines(subject, report, look).join('\n'),
    JSON.stringify(reportJson(subject, report)),
    JSON.stringify(bundleOf(subject, report, exchanges, 'linux')),
    xml,
  ];
  for (const text of texts) {
    assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}|\u202e|canary/u);
    assert.match(text, /evil\.example/);
  }
  assert.doesNotMatch(xml, /<script|<x |\]\]>/);
  assert.equal(xml.match(/<testcase /g)?.length, report.findings.length);
});

test('doctor: who can fix it is in every form', async () => {
  const { report, subject } = await examineHostile();
  assert.equal(reportJson(subject, report).firstCause?.who, 'server');
  assert.match(reportLines(subject, report, { width: 40, color: false }).join('\n'), /to act {2}the server’s operator/);
});

test('doctor: the report keeps to the width, down to 40 columns', async () => {
  const { report, subject } = await examineHostile();
  const words = /\S{30}/; // an address stays whole
  const lines = reportLines(subject, report, { width: 40, color: false });
  assert.deepEqual(
    lines.filter((line) => line.length > 40 && !words.test(line)),
    [],
  );
});

test('doctor: a server that says back in a later response what token it has seen gets it into no form', async () => {
  await using scene = await openScene({}, { interactive: true });
  await using own = await openOwnScene();
  const seen: string[] = [];
  own.issuer.onToken = () => [
    200,
    { access_token: 'canary-access-token-1', refresh_token: 'canary-refresh-2', token_type: 'Bearer', expires_in: 300 },
  ];
  own.server.whenAuthorized = ({ headers: { authorization = '' } }, response) => {
    if (authorization.includes('canary')) seen.push(authorization);
    const challenge = `Bearer error="invalid_token", error_description="${seen.join(' ')}"`;
    const isTaken = authorization.includes('canary');
    response.writeHead(isTaken ? 200 : 401, isTaken ? {} : { 'www-authenticate': challenge, server: seen.join(' ') });
    response.end('{}');
  };
  const { report, exchanges } = await examineWhole(scene, { server: own.server.url });
  assert.ok(seen.length > 0);
  assert.doesNotMatch(JSON.stringify(bundleOf('x', report, exchanges, 'linux')), /canary/);
});

test('doctor: a secret in the query of the server’s address stands in no form', async () => {
  await using scene = await openScene();
  await using server = await startHttp((request, response) => {
    const { host, url = '' } = { host: request.headers.host, url: request.url };
    if (url.startsWith('/.well-known/oauth-protected-resource/mcp')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const resource = `http://${host}/other?api_key=canary-key-0123456789`;
      response.end(JSON.stringify({ resource, authorization_servers: [scene.sandbox.issuer] }));
    } else if (url.startsWith('/mcp')) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else response.writeHead(404).end();
  });
  const address = `${server.origin}/mcp?api_key=canary-key-0123456789`;
  const target = { server: address, held: undefined, headers: [], signal: new AbortController().signal };
  const { report, exchanges, subject } = await examineServer(doctorWorld(scene), target);
  assert.equal(report.firstCause?.id, 'resource-mismatch');
  const texts = [
    reportLines(subject, report, { width: 80, color: false }).join('\n'),
    JSON.stringify(reportJson(subject, report)),
    JSON.stringify(bundleOf(subject, report, exchanges, 'linux')),
    junitXml(subject, report),
  ];
  for (const text of texts) {
    assert.doesNotMatch(text, /canary/);
    assert.match(text, /127\.0\.0\.1/);
  }
});
