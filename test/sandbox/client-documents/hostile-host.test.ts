import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startHttp } from '../../support/http-server.js';
import { needs } from '../../support/needs.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { answerFor, type DocumentHost, documentAt, startDocumentHost } from '../document-host.js';

const json = { 'content-type': 'application/json' };

describe('hosts of metadata documents that mean harm', { skip: needs('openssl') }, () => {
  let host: DocumentHost;

  before(async () => {
    host = await startDocumentHost();
  });

  after(() => host[Symbol.asyncDispose]());

  const right = (): string => JSON.stringify(documentAt(`${host.origin}/c.json`));

  test('[R-5.8g] [R-5.8f] [A-273] [A-275] redirects, other statuses, types, encodings, lies and silence: one and the same refusal', async () => {
    const text = right();
    const answers: readonly ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(302, { location: `${host.origin}/elsewhere.json` }).end(),
      (response) => response.writeHead(301, { ...json, location: '/elsewhere.json' }).end(text),
      (response) => response.writeHead(307, { location: 'https://169.254.169.254/canary' }).end(text),
      (response) => response.writeHead(404, json).end(text),
      (response) => response.writeHead(203, json).end(text),
      (response) => response.writeHead(206, { ...json, 'content-range': 'bytes 0-9/10' }).end(text),
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text),
      (response) => response.writeHead(200).end(text),
      (response) => response.writeHead(200, { 'content-type': 'application/jsonp' }).end(text),
      (response) => response.writeHead(200, { ...json, 'content-encoding': 'identity, br' }).end(text),
      (response) => response.writeHead(200, json).end(gzipSync(Buffer.alloc(5_000_000))),
      (response) => response.writeHead(200, json).end('no JSON, canary'),
      (response) => response.writeHead(200, json).end(`[${text}]`),
      (response) => response.writeHead(200, json).end(`${text.slice(0, -1)},"client_name":"canary"}`),
      (response) => response.writeHead(200, json).end(`\u{feff}${text}`),
      (response) => response.writeHead(200, json).end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      (response) => response.writeHead(200, json).end(`${'['.repeat(2000)}${']'.repeat(2000)}`),
      (response) => response.writeHead(200, json).end(text + ' '.repeat(5121 - text.length)),
      (response) => response.writeHead(200, { ...json, 'content-length': '999999999' }).write(text),
      (response) => {
        response.writeHead(200, { ...json, 'content-length': String(text.length + 1) }).write(text);
        setImmediate(() => response.destroy());
      },
      (response) => response.writeHead(200, { ...json, 'x-large': 'x'.repeat(20_000) }).end(text),
      (response) => response.destroy(),
      (response) => void response.socket?.end('SSH-2.0-canary\r\n'),
    ];
    host.respond((request, response) => answers[Number(request.url?.slice(1))]?.(response));
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const pages = new Set<string>();
    const ask = async (at: number): Promise<void> => {
      const { status, page } = await answerFor(sandbox, `${host.origin}/${at}`);
      assert.equal(status, 400, `${at}: ${answers[at]}`);
      pages.add(page);
    };
    for (let at = 0; at < answers.length; at += 12) {
      await Promise.all([...answers.keys()].slice(at, at + 12).map(ask));
    }
    assert.equal(pages.size, 1);
    assert.match([...pages][0] ?? '', /could not be read: it must be a JSON object/);
    assert.doesNotMatch([...pages][0] ?? '', /canary/);
    assert.equal(host.server.requests.length, answers.length, 'each was asked once');
    assert.equal(host.server.requests.includes('GET /elsewhere.json'), false);
  });

  test('[R-5.8g] [A-275] what never ends is given up, however it dawdles; meanwhile others are served', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const dawdlers: Readonly<Record<string, (response: ServerResponse) => void>> = {
      '/silent': () => undefined,
      '/head': (response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx-a'),
      '/hints': (response) => drip(response, () => response.writeProcessing()),
      '/body': (response) => {
        response.writeHead(200, json);
        drip(response, () => response.write(' '));
      },
    };
    host.serve(undefined, { 'cache-control': 'max-age=600' });
    assert.equal((await answerFor(sandbox, `${host.origin}/good`)).status, 303);
    host.respond((request, response) => dawdlers[request.url ?? '']?.(response));
    const slow = Object.keys(dawdlers).map(async (path) => (await answerFor(sandbox, `${host.origin}${path}`)).status);
    const quick = await answerFor(sandbox, `${host.origin}/good`);
    assert.equal(quick.status, 303);
    assert.deepEqual(await Promise.all(slow), [400, 400, 400, 400]);
  });

  test('[R-5.8g] [A-275] a certificate that nobody vouches for or of another name, a plain text server and a closed port are one and the same refusal', async () => {
    await using plain = await startHttp((_request, response) => response.writeHead(200, json).end('{}'));
    const gone = await startHttp(() => undefined);
    await gone[Symbol.asyncDispose]();
    const misnamed = await startHttp(
      (request, response) =>
        response.writeHead(200, json).end(JSON.stringify(documentAt(`https://${request.headers.host}/c.json`))),
      await host.authority.issue('DNS:another.example'),
    );
    await using _ = misnamed;
    const places = [plain, gone, misnamed].map(({ port }) => `127.0.0.1:${port}`);
    const allow = [...host.rules.allow, ...places];
    await using sandbox = await startSandbox({ metadataDocuments: { ...host.rules, allow } });
    await using doubting = await startSandbox({ metadataDocuments: { allow } });
    host.serve();
    const answers = await Promise.all([
      answerFor(doubting, `${host.origin}/c.json`),
      ...places.map((place) => answerFor(sandbox, `https://${place}/c.json`)),
    ]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(new Set(answers.map(({ page }) => page)).size, 1);
    assert.deepEqual([plain.requests, misnamed.requests], [[], []]);
  });
});

function drip(response: ServerResponse, drop: () => void): void {
  const timer = setInterval(drop, 50);
  response.once('close', () => clearInterval(timer));
}
