import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PastedProblem, readPastedResponse } from '../../../src/oauth/authorization-response.js';
import { anyText } from '../../support/arbitraries.js';

const redirectUri = 'http://127.0.0.1:41234/callback';
const expected = { redirectUri, isOurState: (state: string) => state === 'the-state' };
const problemOf = (text: string): PastedProblem | 'none' => {
  const pasted = readPastedResponse(text, expected);
  return pasted.ok ? 'none' : pasted.problem;
};

test('[A-82] the whole redirect URL with our state is taken, its parameters decoded and in order', () => {
  const url = `${redirectUri}?code=a%2Fb+c~%E2%82%AC&iss=https%3A%2F%2Fas.example&state=the-state&iss=2`;
  const answer = [
    ['code', 'a/b c~€'],
    ['iss', 'https://as.example'],
    ['state', 'the-state'],
    ['iss', '2'],
  ];
  for (const text of [
    url,
    `  ${url}\r\n`,
    `"${url}"`,
    `'${url}' `,
    `<${url}>`,
    `\`${url}\``,
    `${url}#`,
    `${url}#_=_`,
  ]) {
    assert.deepEqual(readPastedResponse(text, expected), { ok: true, response: answer });
  }
  const odd = readPastedResponse(`${redirectUri}?code=4/0A|b{c}"^[]&state=the-state`, expected);
  assert.deepEqual(odd.ok && odd.response[0], ['code', '4/0A|b{c}"^[]'], 'odd characters in a code (they occur)');
});

test('[A-82] a bare code, another address, a missing or foreign state, trailing text: refused, each by name', () => {
  const cases: readonly (readonly [PastedProblem, string])[] = [
    ['empty', ''],
    ['empty', ' \t\n'],
    ['empty', '""'],
    ['not_a_url', 'SplxlOBeZQQYbYS6WxSbIA'],
    ['not_a_url', 'code=x&state=the-state'],
    ['not_a_url', '/callback?code=x&state=the-state'],
    ['not_a_url', '127.0.0.1:41234/callback?code=x&state=the-state'],
    ['other_address', 'https://as.example/authorize?state=the-state'],
    ['other_address', 'http://127.0.0.1:41235/callback?code=x&state=the-state'],
    ['other_address', 'https://127.0.0.1:41234/callback?code=x&state=the-state'],
    ['other_address', 'http://localhost:41234/callback?code=x&state=the-state'],
    ['other_address', 'http://127.1:41234/callback?code=x&state=the-state'],
    ['other_address', 'HTTP://127.0.0.1:41234/callback?code=x&state=the-state'],
    ['other_address', 'http://127.0.0.1:41234/callback/?code=x&state=the-state'],
    ['other_address', 'http://127.0.0.1:41234/x/../callback?code=x&state=the-state'],
    ['other_address', 'http://a@127.0.0.1:41234/callback?code=x&state=the-state'],
    ['other_address', `${redirectUri.replace('/call', '/\tcall')}?code=x&state=the-state`],
    ['no_state', redirectUri],
    ['no_state', `${redirectUri}?code=x`],
    ['no_state', `${redirectUri}??state=the-state`],
    ['no_state', `${redirectUri}#code=x&state=the-state`],
    ['other_state', `${redirectUri}?code=x&state=`],
    ['other_state', `${redirectUri}?code=x&state=the-stat`],
    ['other_state', `${redirectUri}?code=x&state=the-state%00`],
    ['other_state', `${redirectUri}?code=x&state=the-statE`],
    ['other_state', `${redirectUri}?code=x&state=the-state&state=the-state`],
    ['unreadable', `${redirectUri}?code=x&state=the-state and more`],
    ['unreadable', `${redirectUri}?code=x&state=the-state\n${redirectUri}`],
    ['unreadable', `${redirectUri}?code=%zz&state=the-state`],
    ['unreadable', `${redirectUri}?code=%c0%af&state=the-state`],
    ['unreadable', `${redirectUri}?code=${'a'.repeat(5000)}&state=the-state`],
    ['unreadable', `${redirectUri}?${'a=1&'.repeat(3000)}state=the-state`],
  ];
  for (const [problem, text] of cases) assert.equal(problemOf(text), problem, text.slice(0, 120));
});

test('[A-82] property: whatever is pasted, it is taken only with our address and our state', () => {
  const part = fc.oneof(
    fc.constantFrom(redirectUri, '?', '&', '#', 'state=', 'the-state', 'code=', '%', '"', ' ', 'http://'),
    fc.string(),
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (pasted) => {
      const read = readPastedResponse(pasted, expected);
      if (!read.ok) return;
      assert.ok(pasted.includes(`${redirectUri}?`));
      assert.deepEqual(
        read.response.filter(([name]) => name === 'state'),
        [['state', 'the-state']],
      );
    }),
    { numRuns: 2_000 },
  );
});

test('[A-82] property: any code and state survive the way through a redirect URL', () => {
  const wellFormed = anyText({ maxLength: 60 }).filter((text) => !/\p{Cs}/u.test(text));
  fc.assert(
    fc.property(wellFormed, fc.stringMatching(/^[\x20-\x7e]{1,60}$/), (code, state) => {
      const url = `${redirectUri}?${new URLSearchParams({ code, state })}`;
      assert.deepEqual(readPastedResponse(url, { redirectUri, isOurState: (one) => one === state }), {
        ok: true,
        response: [
          ['code', code],
          ['state', state],
        ],
      });
    }),
  );
});
