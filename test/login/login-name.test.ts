import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { asName, baseNameOf, checkName, freeName } from '../../src/login/login-name.js';
import { withPastNames } from '../../src/stores/index/credential-index.js';
import { loginNamed } from '../stores/index/sample-login.js';
import { anyText, anyUrlWithoutFragment } from '../support/arbitraries.js';

const empty = { version: 1, logins: [], registrations: [] } as const;

test('a login is called by the registrable domain of its server, or what stands for that', async () => {
  for (const [server, name] of [
    ['https://mcp.linear.app/mcp', 'linear'],
    ['https://linear.app', 'linear'],
    ['https://api.githubcopilot.com/mcp/', 'githubcopilot'],
    ['https://mcp.bbc.co.uk/', 'bbc'],
    ['https://ann.github.io/mcp', 'ann'],
    ['https://tool.me.workers.dev/mcp', 'me'],
    ['https://xn--bcher-kva.example/mcp', 'xn--bcher-kva'],
    ['http://localhost:8080/mcp', 'localhost'],
    ['http://127.0.0.1:33099/mcp', 'localhost'],
    ['http://[::1]:33099/mcp', 'localhost'],
    ['https://10.0.0.5/mcp', '10.0.0.5'],
    ['https://[fd00::1]/mcp', 'fd00-1'],
    ['https://intranet/mcp', 'intranet'],
    ['https://co.uk/mcp', 'co.uk'],
  ] as const) {
    assert.equal(await baseNameOf(server, 'default'), name, server);
  }
  assert.equal(await baseNameOf('https://mcp.linear.app/mcp', 'Ann Example'), 'linear-ann-example');
});

test('the second one has a number; a name that was another server’s is not given again, its own is', () => {
  const linear = loginNamed('linear');
  const second = loginNamed('linear-2');
  const document = { ...empty, logins: [linear] };
  assert.equal(freeName('linear', empty, 'https://x.example'), 'linear');
  assert.equal(freeName('linear', document, 'https://x.example'), 'linear-2');
  assert.equal(freeName('linear', { ...empty, logins: [linear, second] }, 'https://x.example'), 'linear-3');
  const ended = withPastNames(document, empty);
  assert.equal(freeName('linear', ended, 'https://x.example'), 'linear-2');
  assert.equal(freeName('linear', ended, linear.server), 'linear');
  assert.ok(!JSON.stringify(ended).includes('linear.example'), 'the server is forgotten');
  const again = withPastNames(document, { ...ended, logins: [{ ...linear, name: 'other' }] });
  assert.equal(again.pastNames?.length, 1, 'a name that was lost twice is kept once');
});

test('no more than 200 names are remembered, the latest', () => {
  let document: Parameters<typeof withPastNames>[1] = empty;
  for (let at = 0; at < 250; at += 1) document = withPastNames({ ...empty, logins: [loginNamed(`n${at}`)] }, document);
  assert.equal(document.pastNames?.length, 200);
  assert.equal(document.pastNames?.at(-1)?.name, 'n249');
});

test('whatever a server or an account is called, the name is one that --name takes', async () => {
  const anything = anyText({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(anyUrlWithoutFragment, anything, async (server, account) => {
      const { logins } = empty;
      const base = await baseNameOf(server, account);
      for (const taken of [logins, [loginNamed(base)]]) {
        const name = freeName(base, { ...empty, logins: taken }, server);
        checkName({ name, server, account }, taken);
      }
    }),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const name = asName(text);
      checkName({ name, server: 's', account: 'a' }, []);
    }),
  );
});

test('a name that another login has is refused, and it is said which: its server, and its account where it has one', () => {
  const work = loginNamed('work');
  const second = { ...work, name: 'second', account: 'bob' };
  const wanted = { name: 'second', server: work.server, account: work.account };
  assert.throws(() => checkName(wanted, [work, second]), {
    code: 'name_taken',
    exit: 2,
    message: 'The name "second" belongs to the login for "https://work.example/mcp" (account "bob").',
  });
  assert.throws(() => checkName({ ...wanted, name: 'work', server: 'https://b.example/' }, [work]), {
    message: 'The name "work" belongs to the login for "https://work.example/mcp".',
  });
  checkName({ ...wanted, name: 'work' }, [work, second]);
  checkName({ ...wanted, name: undefined }, [work, second]);
});
