import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedSettings, newSettings } from '../../src/client-metadata/documents.js';
import { buildFolder, fileNameOf } from '../../src/client-metadata/hosted-folder.js';
import { asObject, parseJson } from '../../src/core/text/json.js';
import { makeClientKey } from '../../src/oauth/client-key.js';
import { validateClientId } from '../../src/oauth/client-metadata/client-id.js';
import { validateDocument } from '../../src/oauth/client-metadata/document.js';
import { writeDocument } from '../../src/oauth/client-metadata/write-document.js';
import { openMachine } from '../support/machine.js';
import { repositoryRoot } from '../support/repository.js';

const folder = join(repositoryRoot, 'client-metadata');
const path = join(folder, 'client.json');
const bytes = await readFile(path);
const parsed = parseJson(bytes);
const document = parsed.ok ? asObject(parsed.value) : undefined;
const unchanged = { url: undefined, name: undefined, contact: undefined };

test('[R-2.3a][R-5.7a] the folder of this repository keeps every rule but one: its address is a placeholder, and said to be', () => {
  const { findings } = validateDocument(bytes, undefined);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['placeholder'],
  );
});

test('the folder is what build makes of its own document, byte for byte, and no file besides', async () => {
  const settings = changedSettings({ bytes, path }, unchanged);
  const files = await buildFolder(settings, fileNameOf(settings.url));
  for (const { name, text } of files) {
    assert.equal(await readFile(join(folder, name), 'utf8'), text, `${name} is as it is built`);
  }
  assert.deepEqual((await readdir(folder)).sort(), files.map(({ name }) => name).sort());
});

test('[R-5.8d][A-63] its redirect URIs are loopback, with the path that the callback listener has', () => {
  const uris = document?.['redirect_uris'];
  assert.ok(Array.isArray(uris));
  for (const uri of uris) {
    assert.match(String(uri), /^http:\/\/(127\.0\.0\.1|localhost)(:[0-9]+)?\/callback$/);
  }
});

test('init: an address, a name and a contact reach every file that names them, and nothing of them is markup', async () => {
  const url = 'https://me.postern/deep/er/my-client.json';
  const name = `<script>"&'`;
  await using machine = await openMachine();
  const folder = join(machine.home.path, 'made');
  const words = ['--url', url, '--name', name, '--contact', 'https://me.postern/issues'];
  const init = await machine.run(['client-metadata', 'init', '--out', folder, ...words]);
  assert.equal(init.code, 0, init.stderr);
  const files = new Map<string, string>();
  for (const each of await readdir(folder)) files.set(each, await readFile(join(folder, each), 'utf8'));
  const made = JSON.parse(files.get('my-client.json') ?? '');
  assert.deepEqual(
    [made.client_id, made.client_uri, made.logo_uri, made.contacts],
    [url, 'https://me.postern/deep/er/', 'https://me.postern/deep/er/logo.svg', ['https://me.postern/issues']],
  );
  const page = files.get('index.html') ?? '';
  assert.match(page, /&lt;script&gt;&quot;&amp;&#39;/);
  assert.doesNotMatch(page, /<script/);
  assert.match(page, /href="https:\/\/me\.postern\/issues"/);
  assert.match(files.get('_headers') ?? '', /^\/deep\/er\/my-client\.json$/m);
  assert.match(files.get('.htaccess') ?? '', /<Files "my-client\.json">/);
});

test('[R-2.3a][R-5.8d] whatever redirect URIs are chosen, the document keeps every rule, and is built again byte for byte', () => {
  const address = fc
    .record({
      host: fc.constantFrom('127.0.0.1', '[::1]', 'localhost'),
      port: fc.option(fc.integer({ min: 1024, max: 65_535 }), { nil: undefined }),
      path: fc.constantFrom('', '/', '/callback', '/oauth/back', '/a~b/%20'),
    })
    .map(({ host, port, path }) => `http://${host}${port === undefined ? '' : `:${port}`}${path}`);
  fc.assert(
    fc.property(fc.array(address, { minLength: 1, maxLength: 12 }), (redirectUri) => {
      const text = writeDocument(newSettings({ url: 'https://me.postern/client.json', redirectUri }, []));
      const there = { bytes: new TextEncoder().encode(text), path: 'client.json' };
      const { findings } = validateDocument(there.bytes, undefined);
      assert.deepEqual(
        findings.filter(({ verdict }) => verdict === 'failure'),
        [],
      );
      assert.deepEqual(JSON.parse(text).redirect_uris, [...new Set(redirectUri)]);
      assert.equal(writeDocument(changedSettings(there)), text);
      const other = writeDocument(changedSettings(there, { redirectUri: ['http://localhost/x'] }));
      assert.deepEqual(JSON.parse(other).redirect_uris, ['http://localhost/x']);
    }),
  );
});

test('chosen redirect URIs stand on the page, and where a login has to name one, README, check and serve say so', async () => {
  const url = 'https://me.postern/client.json';
  const chosen = newSettings({ url, redirectUri: ['http://localhost:3118/oauth', 'http://[::1]/b'] }, []);
  const files = new Map((await buildFolder(chosen, 'client.json')).map((file) => [file.name, file.text]));
  assert.match(
    files.get('index.html') ?? '',
    /<li><code>http:\/\/localhost:3118\/oauth<\/code><\/li>\n<li><code>http:\/\/\[::1\]\/b/,
  );
  assert.doesNotMatch(files.get('index.html') ?? '', /\/callback/);
  assert.match(
    files.get('README.md') ?? '',
    / --client-metadata-url \S+ --redirect-uri http:\/\/localhost:3118\/oauth\n/,
  );
  const { findings } = validateDocument(new TextEncoder().encode(writeDocument(chosen)), url);
  assert.deepEqual(
    findings.map(({ code, verdict }) => [code, verdict]),
    [['redirect_uris', 'warning']],
  );
  const both = newSettings({ url, redirectUri: ['http://localhost/x', 'http://127.0.0.1/callback'] }, []);
  const [readme] = (await buildFolder(both, 'client.json')).filter(({ name }) => name === 'README.md');
  assert.doesNotMatch(readme?.text ?? '', /--client-metadata-url \S+ --redirect-uri/);
});

for (const [what, wish, code] of [
  ['no address', { url: undefined }, 'client_metadata_url_missing'],
  ['http', { url: 'http://me.postern/client.json' }, 'client_metadata_url_refused'],
  ['the name of another file', { url: 'https://me.postern/index.html' }, 'client_metadata_url_refused'],
  ['an empty name', { url: 'https://me.postern/client.json', name: ' ' }, 'usage'],
  [
    'a redirect URI elsewhere',
    { url: 'https://me.postern/client.json', redirectUri: ['https://x.example/cb'] },
    'usage',
  ],
  [
    'more redirect URIs than anybody reads',
    {
      url: 'https://me.postern/c.json',
      redirectUri: Array.from({ length: 9 }, (_, at) => `http://localhost/${at}${'x'.repeat(240)}`),
    },
    'usage',
  ],
  ['a contact that is a script', { url: 'https://me.postern/client.json', contact: 'javascript:alert(1)' }, 'usage'],
] as const) {
  test(`[R-2.3a] no document is made with ${what}`, () => {
    assert.throws(
      () => newSettings({ ...unchanged, ...wish }, []),
      (error: { code?: string }) => error.code === code,
    );
  });
}

test('[R-2.3a] the address built into a release is none yet, or one that can be a client identifier', async () => {
  const { clientMetadataUrl } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  assert.equal(typeof clientMetadataUrl, 'string');
  if (clientMetadataUrl !== '') assert.deepEqual(validateClientId(clientMetadataUrl), []);
});

test('[R-2.3c] a document with a key that was just made is built again byte for byte', async () => {
  const unchanged = { url: undefined, name: undefined, contact: undefined };
  const { publicJwk } = await makeClientKey('ES256');
  const text = writeDocument(newSettings({ ...unchanged, url: 'https://me.postern/client.json' }, [publicJwk]));
  const there = { bytes: new TextEncoder().encode(text), path: 'client.json' };
  assert.equal(writeDocument(changedSettings(there, unchanged)), text);
});
