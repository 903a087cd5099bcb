import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/arbitraries.js';
import { type Machine, openMachine } from '../support/machine.js';
import { gitInput, token, work } from './seeded.js';

// What programs ask for through `postern credential`, and who asks for it: the logins below, and no other server.
const servers = {
  github: 'https://github.com',
  tools: 'https://a.example/mcp',
  deeper: 'https://a.example/mcp/deeper',
  good: 'https://good.com',
  here: 'http://127.0.0.1:8080/mcp',
  planted: 'http://evil.example/mcp',
  query: 'https://a.example/m?x=y',
};

let machine: Machine;
before(async () => {
  machine = await openMachine();
  for (const [name, server] of Object.entries(servers)) {
    await machine.keep(work({ name, server, accessToken: `${token}${name}` }));
  }
});
after(() => machine[Symbol.asyncDispose]());

const run = (words: readonly string[], input: string | Uint8Array = '') => machine.run(['credential', ...words], input);

/** Whose token git gets for these lines; '' for none. What fails so prints nothing else. */
async function gitToken(...lines: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(['git', 'get'], gitInput(...lines));
  assert.equal(code, 0, stderr);
  if (stdout === '') return '';
  const [, owner = ''] =
    /^(?:username=oauth2\npassword|capability\[\]=authtype\nauthtype=Bearer\ncredential)=tok\.en-~\+\/=(\w+)\n/.exec(
      stdout,
    ) ?? [];
  assert.notEqual(owner, '', stdout);
  return owner;
}

async function assertUnusable(input: string | Uint8Array): Promise<void> {
  const { code, stdout, stderr } = await run(['git', 'get'], input);
  assert.deepEqual([code, stdout], [1, ''], JSON.stringify(String(input).slice(0, 100)));
  assert.match(stderr, /^postern: [^\n]+ \[request_unusable, exit 1\]\n$/);
}

test('[A-171] lines of git end with LF alone; any other control in them is refused', async () => {
  assert.equal(await gitToken('protocol=https\r', 'host=github.com\r', 'path=x\r', '\r'), 'github');
  for (const control of ['\r', '\0', '\t', '\v', '\f', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029']) {
    const name = control === '\0' ? 'unknown' : control === '\u2028' ? 'wwwauth[]' : 'path';
    await assertUnusable(gitInput('protocol=https', 'host=github.com', `${name}=x${control}host=evil`));
  }
  await assertUnusable(gitInput('protocol=https', 'host=github.com\rhost=evil'));
  await assertUnusable(Buffer.from([...Buffer.from('protocol=https\nhost='), 0xc3, 0x28, 0x0a, 0x0a]));
  // Percent-encoded ends of lines stay what they are.
  assert.equal(await gitToken('protocol=https', 'host=github.com%0ahost=evil'), '');
  assert.equal(await gitToken('protocol=https', 'host=github.com', 'path=x%0ay'), 'github');
});

test('[A-172] a request of git that contradicts itself, or names no server, is not answered', async () => {
  for (const lines of [
    ['url=https://user@good.com\\@evil'],
    ['url=https://user:x@good.com/'],
    ['host=good.com', 'url=https://evil.com/', 'protocol=https'],
    ['url=https://good.com/', 'path=x'],
    ['protocol=https', 'host=github.com', 'host=good.com'],
    ['protocol=https', 'protocol=http', 'host=good.com'],
    ['protocol=https', 'path=x'],
    ['host=good.com'],
    ['protocol=ssh', 'host=good.com'],
    ['protocol=HTTPS', 'host=good.com'],
    ['protocol=https', 'host=good.com/x'],
    ['protocol=https', 'host=user@good.com'],
    ['protocol=https', 'host=good.com?x'],
    ['protocol=https', 'host=evil\\good.com'],
    [],
  ]) {
    assert.equal(await gitToken(...lines), '', lines.join(' '));
  }
  assert.equal(await gitToken('url=https://good.com/x'), 'good');
  assert.equal(await gitToken('protocol=https', 'host=good.com', 'path=a b/ü?#'), 'good');
});

test('[A-178] too long, too many, no name=value: refused; what is not known is passed over', async () => {
  const fit = ['protocol=https', 'host=good.com'];
  for (const lines of [
    ['protocol=https', `host=${'a'.repeat(65_536)}`],
    [...fit, ...Array.from({ length: 255 }, () => 'x=y')],
    [...fit, 'nonsense'],
    [...fit, '=x'],
  ]) {
    await assertUnusable(gitInput(...lines));
  }
  assert.equal(await gitToken(...fit, ...Array.from({ length: 254 }, () => 'x=y')), 'good');
  assert.equal(await gitToken(...fit, 'future=1', 'future[]=2', '', 'host=evil'), 'good');
});

test('[A-177][A-178][A-179] only what was announced is answered with; a challenge says whether a password is of use, and nothing else', async () => {
  const fit = ['protocol=https', 'host=good.com'];
  const kind = async (...more: readonly string[]) =>
    (await run(['git', 'get'], gitInput(...more.slice(0, 1), ...fit, ...more.slice(1)))).stdout.split(/[=[]/)[0];
  for (const more of [[], ['capability[]=state'], ['capability[]=authtype', 'capability[]=']]) {
    assert.equal(await kind(...more), 'username', more.join());
  }
  assert.equal(await kind('capability[]=authtype'), 'capability');
  for (const [challenges, answered] of [
    [['Basic realm="x"'], 'username'],
    [['Bearer realm="https://a.example/mcp"', 'basic'], 'username'],
    [['Bearer resource_metadata="https://a.example/mcp"'], ''],
    [['Basically realm="x"'], ''],
  ] as const) {
    assert.equal(await kind(...challenges.map((one) => `wwwauth[]=${one}`)), answered, challenges.join());
  }
  assert.equal(await gitToken(...fit, 'wwwauth[]=Basic realm="https://a.example/mcp"'), 'good');
});

/** Whose token Bazel gets for that address; '' for none. */
async function bazelToken(uri: string): Promise<string> {
  const { code, stdout, stderr } = await run(['bazel', 'get'], JSON.stringify({ uri }));
  if (code !== 0) assert.match(stderr, /\[request_unusable, exit 1\]\n$/);
  return /^\{"headers":\{"Authorization":\["Bearer tok\.en-~\+\/=(\w+)"\]\},/.exec(stdout)?.[1] ?? '';
}

test('[A-173][A-174] a token goes to its own origin and path, in whatever spelling, and nowhere else', async () => {
  for (const target of [
    'https://github.com/x/y.git',
    'https://GITHUB.COM/x',
    'https://github.com:443',
    'HTTPS://github.com/',
    'git+https://github.com/x',
    'github.com/x',
    'github.com:443',
    'wss://github.com/x',
    'grpcs://github.com',
  ]) {
    assert.equal(await bazelToken(target), 'github', target);
  }
  for (const target of [
    'https://github.com.evil.com/x',
    'https://evilgithub.com/x',
    'https://github.com./x',
    'https://xn--github-xyz.com/x',
    'https://gіthub.com/x',
    'https://github.com:444/x',
    'http://github.com/x',
    'ws://github.com/x',
    'https://user@github.com/x',
    'https://user:x@github.com/x',
    'https://github.com@evil.com/x',
    'https://evil.com\\@github.com/x',
    'https://github.com%2eevil.com/x',
    'https://github.com\n/x',
    'https:/github.com/x',
    'ftp://github.com/x',
    'file:///etc/passwd',
  ]) {
    assert.equal(await bazelToken(target), '', JSON.stringify(target));
  }
  assert.equal(await bazelToken('http://127.0.0.1:8080/mcp/x'), 'here');
  // Plain http goes to loopback alone, and to the very URL of a login.
  for (const target of [
    'http://127.0.0.1:8081/mcp',
    'http://localhost:8080/mcp',
    'https://127.0.0.1:8080/mcp',
    'http://evil.example/mcp',
  ]) {
    assert.equal(await bazelToken(target), '', target);
  }
  const { code, stdout } = await run(['header', 'planted']);
  assert.deepEqual([code, stdout], [3, '']);
});

test('[A-157][A-173] the path is a prefix on a segment boundary, and the longest one wins', async () => {
  for (const path of ['/mcp', '/mcp/', '/mcp/deep'])
    assert.equal(await bazelToken(`https://a.example${path}`), 'tools');
  assert.equal(await bazelToken('https://a.example/mcp/deeper/x?y#z'), 'deeper');
  for (const path of [
    '',
    '/',
    '/mcpx',
    '/MCP',
    '/mcp/../x',
    '/mcp/%2e%2e/x',
    '/mcp/..%2fx',
    '/mcp/%252e%252e/',
    '//mcp',
    '/mcp-evil',
    '/mcp;x',
    '/mcp%2f..%2fa',
    '/mcp/x/../../a',
    '/mcp/..;/a',
    '/mcp/%2525252e%2525252e/a',
    '/mcp/.%0a./a',
  ]) {
    assert.equal(await bazelToken(`https://a.example${path}`), '', path);
  }
});

test('[A-173] the login named in the caller’s configuration is for its own server only', async () => {
  const ask = (...lines: readonly string[]) => run(['git', 'tools', 'get'], gitInput('protocol=https', ...lines));
  assert.match((await ask('host=a.example', 'path=mcp/x')).stdout, /^password=.*tools$/m);
  assert.equal((await ask('host=a.example', 'path=other')).stdout, '');
  const pathless = await ask('host=a.example');
  assert.deepEqual([pathless.code, pathless.stdout], [0, '']);
  assert.match(pathless.stderr, /git config --global credential\.https:\/\/a\.example\S* true/);
  const elsewhere = await ask('host=evil.example', 'path=mcp/x');
  assert.deepEqual([elsewhere.code, elsewhere.stdout], [0, '']);
  assert.equal(await gitToken('protocol=https', 'host=github.com'), 'github');
  assert.equal(await gitToken('protocol=https', 'host=a.example'), '', 'a login below is not for the whole host');
});

test('a host as a whole is answered for by choice, and only while one login is meant', async () => {
  const whole = async (words: string) => (await run(`${words} --whole-host`.split(' '))).stdout;
  assert.match(await whole('terraform get good.com'), new RegExp(`${token.replace('+', '\\+')}good`));
  const two = await run(['terraform', 'get', 'a.example', '--whole-host']);
  assert.match(two.stderr, /login_ambiguous, exit 2/);
  assert.equal(await whole('terraform get b.example'), '{}\n');
});

test('go is answered for https alone, as it takes nothing else, and about modules of the login alone', async () => {
  const go = async (...words: readonly string[]) => (await run(['goauth', ...words])).stdout;
  const ours = `Authorization: Bearer ${token}tools\n\n`;
  assert.equal(await go('tools'), `https://a.example/mcp\n\n${ours}`);
  for (const name of ['here', 'query']) assert.equal(await go(name), '');
  for (const asked of [
    'http://a.example/mcp/x',
    'https://a.example/mcp/\n\nX: y',
    'https://a.example/mcp x',
    'mcp/x',
  ]) {
    assert.doesNotMatch(await go('tools', asked), /X: y|http:|mcp x|^mcp/m, asked);
  }
});

test('[A-181] what is told of the end is early, whole and never past', async () => {
  for (const left of [20_000, 31_000, 3_600_000]) {
    const before = Date.now();
    const expiresAt = before + left;
    const host = `in-${left}.example`;
    await machine.keep(work({ server: `https://${host}`, name: `in-${left}`, expiresAt }));
    const { stdout } = await run(['git', 'get'], gitInput('protocol=https', `host=${host}`));
    const told = Number(/^password_expiry_utc=(\d+)$/m.exec(stdout)?.[1]) * 1000;
    assert.ok(told > before && told <= expiresAt, `${told - before} of ${left}`);
    if (left > 60_000) assert.ok(told <= expiresAt - 30_000);
  }
});

const value = fc.oneof(
  fc.constantFrom('https', 'http', 'a.example', 'github.com', 'evil.example', 'mcp', 'mcp/x', '..', 'authtype', ''),
  fc.constantFrom('a.example\r', 'a.example:443', 'github.com.evil.example', 'https://a.example/mcp', 'a.example\0'),
  anyText({ maxLength: 8 }),
);
const name = fc.oneof(
  fc.constantFrom('protocol', 'host', 'path', 'username', 'password', 'url', 'capability[]', 'wwwauth[]', 'credential'),
  fc.string({ maxLength: 5 }),
);
const mapped: readonly [string, string][] = [
  ['protocol', 'https'],
  ['host', 'a.example'],
  ['path', 'mcp/x'],
];

test('[A-171][A-173][A-178] whatever comes as git’s request: no crash, no answer for a host without a login, no stray line', async () => {
  const lines = fc.array(fc.tuple(name, value), { maxLength: 5 });
  const ours =
    /^(?:(?:capability\[\]=authtype\nauthtype=Bearer\ncredential=tok\.en-~\+\/=\w+\nephemeral=1|username=oauth2\npassword=tok\.en-~\+\/=\w+)\npassword_expiry_utc=\d{10}\n\n)?$/;
  // A line feed in a value may end the request: what stands behind that is asked by nobody.
  const hostsOf = (text: string) =>
    (text.split(/(?:^|\n)\r?\n/, 1)[0] ?? '')
      .split('\n')
      .flatMap((line) => /^(?:host|url)=(.*)$/s.exec(line)?.[1] ?? []);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        lines,
        lines.map((more) => [...mapped, ...more]),
      ),
      async (pairs) => {
        const request = gitInput(...pairs.map((pair) => pair.join('=')));
        const { code, stdout } = await run(['git', 'get'], request);
        assert.ok(code === 0 || code === 1, request);
        assert.match(stdout, ours);
        if (stdout === '') return;
        const isMapped = (text: string) =>
          /(?:^|\/)(?:a\.example|github\.com|good\.com)(?::443)?(?:[/\r]|$)/i.test(text);
        assert.ok(hostsOf(request).every(isMapped), JSON.stringify(pairs));
      },
    ),
  );
});
