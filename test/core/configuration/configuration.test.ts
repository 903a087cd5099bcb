import assert from 'node:assert/strict';
import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readConfigFile } from '../../../src/app/config-file.js';
import { readConfiguration } from '../../../src/core/configuration/configuration.js';
import { defaultLimits, Failure } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

const path = '/home/someone/config.json';

function read(text: string, env: Record<string, string> = {}) {
  return readConfiguration({ path, bytes: new TextEncoder().encode(text) }, env);
}

function refusal(text: string, env: Record<string, string> = {}): Failure {
  try {
    read(text, env);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.deepEqual([error.code, error.exit], ['configuration_unusable', 2]);
    return error;
  }
  assert.fail(`accepted: ${text}`);
}

const whole = {
  clientMetadataUrl: 'https://example.com/client.json',
  clients: [
    { issuer: 'https://as.example', clientId: 'a', redirectUri: 'http://127.0.0.1:8765/callback' },
    { issuer: 'https://other.example/', clientId: 'b' },
  ],
  timeoutSeconds: 120,
  caFile: '/etc/ca.pem',
  redirectPort: 8765,
  store: 'file',
  clientCertificates: [{ origins: ['https://a.example'], certFile: '/c.pem', keyFile: '/k.pem' }],
};
/** What is there where nobody has set anything. */
const usual = { clients: [], clientCertificates: [], limits: defaultLimits };

test('the file says all that it can say, issuers to the character [R-4.6b]', () => {
  assert.deepEqual(read(JSON.stringify(whole)), { ...usual, ...whole });
});

test('the environment goes before the file; an empty variable is none; no file is an empty one', () => {
  const env = {
    POSTERN_CLIENT_METADATA_URL: 'https://example.com/other.json',
    POSTERN_TIMEOUT: '30',
    POSTERN_CA_FILE: '',
    POSTERN_REDIRECT_PORT: '9999',
  };
  const over = { clientMetadataUrl: env.POSTERN_CLIENT_METADATA_URL, timeoutSeconds: 30, redirectPort: 9999 };
  assert.deepEqual(read(JSON.stringify(whole), env), { ...usual, ...whole, ...over });
  assert.deepEqual(readConfiguration(undefined, {}), usual);
});

test('what is not known or does not fit is named, with the key that was meant [A-266]', () => {
  assert.match(refusal('{"redirectPrt":1}').message, /"redirectPrt" is not known \(did you mean redirectPort\?\)/);
  assert.match(refusal('{"clients":[{"clientId":"a","issuer":"https://a.example","secret":"x"}]}').message, /"secret"/);
  assert.match(refusal('{"__proto__":{}}').message, /"__proto__" is not known/);
  for (const text of [
    '',
    '[]',
    '{"timeoutSeconds":9}',
    '{"redirectPort":80}',
    '{"caFile":"ca.pem"}',
    '{"clientMetadataUrl":"javascript:alert(1)"}',
    '{"clients":[{"clientId":"a"}]}',
    '{"clients":[{"clientId":"","issuer":"https://a.example"}]}',
    '{"redirectPort":8080,"redirectPort":8081}',
    '{"connectSeconds":0}',
    '{"clientCertificates":[{"origins":[],"certFile":"/c","keyFile":"/k"}]}',
    '{"clientCertificates":[{"origins":["http://a.example"],"certFile":"/c","keyFile":"/k"}]}',
    '{"clientCertificates":[{"origins":["https://a.example"],"certFile":"c","keyFile":"/k"}]}',
    '{"clientCertificates":[{"origins":["https://a.example"],"certFile":"/c"}]}',
    '{"clientCertificates":[{"origins":["https://a.example","https://A.example:443/"],"certFile":"/c","keyFile":"/k"}]}',
    `${'['.repeat(5000)}`,
  ]) {
    refusal(text);
  }
  assert.match(refusal('{}', { POSTERN_TIMEOUT: 'soon' }).message, /POSTERN_TIMEOUT/);
});

test('whatever the file holds, it is a configuration or a Failure', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      try {
        read(text);
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
      }
    }),
  );
});

test('a file that others can write, a link, a folder, or one in such a folder is refused; one they can read is not [A-266]', async () => {
  await using home = await temporaryFolder();
  const folder = join(home.path, 'config');
  const file = join(folder, 'config.json');
  assert.equal(readConfigFile(folder), undefined);
  await mkdir(folder);
  await chmod(folder, 0o755);
  assert.equal(readConfigFile(folder), undefined);
  await writeFile(file, '{}', { mode: 0o644 });
  assert.equal(Buffer.from(readConfigFile(folder)?.bytes ?? []).toString(), '{}');
  const refused = (why: RegExp, remedy = /ls -ld \S+config.*chmod go-w.*POSTERN_CONFIG_DIR/) =>
    assert.throws(
      () => readConfigFile(folder),
      (error: unknown) =>
        error instanceof Failure && error.exit === 2 && why.test(error.message) && remedy.test(error.remedy),
    );
  await chmod(file, 0o666);
  refused(/other users can write to it \(mode 666\)/);
  await chmod(file, 0o644);
  await chmod(folder, 0o777);
  refused(/other users can write to it \(mode 777\)/);
  await chmod(folder, 0o755);
  await rename(file, join(home.path, 'elsewhere'));
  await symlink(join(home.path, 'elsewhere'), file);
  refused(/symbolic link/);
  await rename(file, join(home.path, 'link'));
  await mkdir(file);
  refused(/not a plain file/);
  await rename(file, join(home.path, 'folder'));
  await writeFile(file, Buffer.alloc(300 * 1024, ' '), { mode: 0o600 });
  refused(/larger than/, /^Correct or remove/);
});

test('a store is one that a person can choose, and nothing like one', () => {
  assert.equal(read('{}', { POSTERN_STORE: 'helper:pass' }).store, 'helper:pass');
  for (const word of ['memory', 'plain', 'helper:', 'helper:../x', 'helper:-x', 'File', '']) {
    assert.match(refusal(JSON.stringify({ store: word })).message, /keychain, file, helper:NAME or redis:URL/);
  }
});
