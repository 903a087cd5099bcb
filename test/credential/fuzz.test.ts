import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findCredential } from '../../src/credential/find-credential.js';
import type { CredentialArguments } from '../../src/credential/formats/call.js';
import { readCall } from '../../src/credential/read-call.js';
import { loginNamed } from '../stores/index/sample-login.js';
import { anyText, anyUrl } from '../support/arbitraries.js';
import { Failure, Secret } from '../support/product.js';

const token = 'tok.en-~+/=';
const logins = ['https://mcp.example/mcp', 'https://github.com'].map((server, index) => ({
  ...loginNamed(`login-${index}`),
  server,
  account: 'default',
}));
const plain: CredentialArguments = {
  format: '',
  words: [],
  account: undefined,
  pin: undefined,
  minTtl: undefined,
  shell: 'sh',
  var: [],
  wholeHost: false,
  timeout: 8,
  shim: undefined,
  showSecret: false,
  store: undefined,
  clientCredentials: false,
  clientId: undefined,
  clientSecretFile: undefined,
  clientKeyFile: undefined,
  ...{ assertionFile: undefined, assertionEnv: undefined, assertionCommand: undefined },
  ...{ assertionAudience: undefined, assertionAs: undefined },
  authorizationServer: undefined,
  scope: [],
};

/** What `postern credential` prints; undefined when it fails with a `Failure`, which is what it does at worst. */
function printed(format: 'git' | 'bazel', words: readonly string[], input: Uint8Array): string | undefined {
  try {
    const call = readCall(format, { ...plain, format, words }, { env: {}, input });
    if (call.kind !== 'get') return call.kind === 'fixed' ? call.output : '';
    const { login } = findCredential(logins, call.wanted);
    const granted = { accessToken: new Secret(token), expiresAt: 1_800_000_000_000 };
    return login === undefined ? call.unmapped : call.output({ ...granted, server: login.server }, 1_700_000_000_000);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return undefined;
  }
}

const value = fc.oneof(
  fc.constantFrom('https', 'http', 'mcp.example', 'github.com', 'evil.example', 'mcp', 'mcp/x', '..', 'authtype', ''),
  fc.constantFrom(
    'mcp.example\r',
    'mcp.example:443',
    'github.com.evil.example',
    'https://mcp.example/mcp',
    'mcp.example\0',
  ),
  anyText({ maxLength: 8 }),
);
const name = fc.oneof(
  fc.constantFrom('protocol', 'host', 'path', 'username', 'password', 'url', 'capability[]', 'wwwauth[]', 'credential'),
  fc.string({ maxLength: 5 }),
);
const lines = fc.array(fc.tuple(name, value), { maxLength: 8 });
/** A line feed in a value may end the request: what stands behind that is asked by nobody. */
const hostsOf = (text: string) =>
  (text.split(/(?:^|\n)\r?\n/, 1)[0] ?? '').split('\n').flatMap((line) => /^(?:host|url)=(.*)$/s.exec(line)?.[1] ?? []);

test('[A-171][A-173][A-178] whatever comes as git’s request: no crash, no answer for an unmapped host, no stray line', () => {
  let answered = 0;
  const ours =
    /^(?:(?:capability\[\]=authtype\nauthtype=Bearer\ncredential=tok\.en-~\+\/=\nephemeral=1|username=oauth2\npassword=tok\.en-~\+\/=)\npassword_expiry_utc=1799999970\n\n)?$/;
  fc.assert(
    fc.property(
      fc.constantFrom('get', 'get', 'get', 'store', 'erase', 'list'), // most ask
      fc.oneof(
        lines,
        lines.map(
          (more) => [['protocol', 'https'], ['host', 'mcp.example'], ['path', 'mcp/x'], ...more] as [string, string][],
        ),
      ),
      (operation, pairs) => {
        const request = `${pairs.map(([one, text]) => `${one}=${text}\n`).join('')}\n`;
        const output = printed('git', [operation], new TextEncoder().encode(request));
        if (output === undefined || output === '') return;
        answered += 1;
        assert.equal(operation, 'get');
        assert.match(output, ours);
        assert.ok(
          hostsOf(request).every((text) => /(?:^|\/)(?:mcp\.example|github\.com)(?::443)?(?:[/\r]|$)/i.test(text)),
          JSON.stringify(pairs),
        );
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(answered > 5, `${answered} answers`);
});

test('[A-173] whatever comes as Bazel’s request: no crash, no answer for an unmapped host, one line of JSON', () => {
  let answered = 0;
  const uri = fc.oneof(
    fc.constantFrom(
      'https://mcp.example/mcp/x',
      'grpcs://github.com',
      'https://evil.example/',
      'https://mcp.example@evil.example/',
    ),
    anyUrl,
    anyText({ maxLength: 30 }),
  );
  const request = fc.oneof(
    uri.map((text) => JSON.stringify({ uri: text })),
    fc.json(),
    fc.tuple(uri, fc.json()).map(([text, more]) => `{"uri":${JSON.stringify(text)},"more":${more}}`),
    fc.string({ maxLength: 40 }),
  );
  fc.assert(
    fc.property(request, (text) => {
      const output = printed('bazel', ['get'], new TextEncoder().encode(text));
      if (output === undefined || output === '{"headers":{}}\n') return;
      answered += 1;
      assert.equal(output, `{"headers":{"Authorization":["Bearer ${token}"]},"expires":"2027-01-15T07:59:30Z"}\n`);
      const { host } = new URL(String(JSON.parse(text).uri).replace(/^grpcs/, 'https'));
      assert.ok(['mcp.example', 'github.com'].includes(host), text);
    }),
    { numRuns: 500 },
  );
  assert.ok(answered > 5, `${answered} answers`);
});
