import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { runHere } from '../support/in-process.js';
import { limitSettings } from '../support/product.js';

/** A home with this configuration file. */
async function homeWith(configuration: unknown, variables: Record<string, string> = {}) {
  const home = await makeHome(variables);
  const folder = join(home.path, 'config', 'postern');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, 'config.json'), JSON.stringify(configuration), { mode: 0o600 });
  return { ...home, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test('[R-8.1] every setting is shown: its value, whether default, file or environment set it, and every way to change it', async () => {
  await using home = await homeWith(
    { timeoutSeconds: 77, connectSeconds: 3, store: 'file' },
    { POSTERN_TIMEOUT: '99', POSTERN_TOKEN_KIB: '8' },
  );
  const { code, stdout, stderr } = await runHere(home, ['config']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^\/.*\/config\/postern\/config\.json\n/);
  assert.match(stdout, /^timeoutSeconds: 99 .*environment.* \(10 to 3600\)$/m);
  assert.match(stdout, /^connectSeconds: 3 .*config\.json.* \(1 to 60\)$/m);
  assert.match(stdout, /^tokenKiB: 8 .*environment/m);
  assert.match(stdout, /^discoverySeconds: 30 /m);
  const isLimit = (key: string) => limitSettings.some((limit) => limit.key === key);
  const json = JSON.parse((await runHere(home, ['config', '--json'])).stdout);
  const settings: readonly { readonly key: string; readonly variable: string }[] = json.settings;
  for (const { key, variable } of settings) {
    assert.match(stdout, new RegExp(`^${key}: .*\\(.+\\)$`, 'm'));
    if (!isLimit(key)) assert.match(stdout, new RegExp(`^By variables: .*\\b${variable}\\b`, 'm'));
  }
  assert.match(stdout, /connectSeconds is POSTERN_CONNECT_SECONDS\b/);
  assert.ok(limitSettings.every(({ key }) => settings.some((setting) => setting.key === key)));
  const shown = json.settings.find(({ key }: { key: string }) => key === 'timeoutSeconds');
  assert.deepEqual([shown.value, shown.by, json.exists], [99, 'environment', true]);
});

test('[R-8.1] file, then variable, then option: the later goes before, in what the program does', async () => {
  await using server = await startHttp(() => undefined); // never answers
  const login = ['login', `${server.origin}/mcp`, '--no-browser'];
  await using slow = await homeWith({ metadataSeconds: 1 });
  const byFile = await runHere(slow, login);
  assert.equal(byFile.code, 6, byFile.stderr);
  assert.match(byFile.stderr, /\b1 s\b|1 second/);
  await using quicker = await homeWith({ metadataSeconds: 100 }, { POSTERN_METADATA_SECONDS: '2' });
  const byVariable = await runHere(quicker, login);
  assert.match(byVariable.stderr, /\b2 s\b|2 seconds/);
  await using port = await homeWith({ redirectPort: 1025 }, { POSTERN_REDIRECT_PORT: '1' });
  const refused = await runHere(port, login);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /POSTERN_REDIRECT_PORT/);
});

test('[A-268] what the environment changes of whom we talk to and trust is shown, a proxy’s password never', async () => {
  await using home = await makeHome({
    HTTPS_PROXY: 'http://me:canary@proxy.example:3128',
    NO_PROXY: 'intern.example',
    NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
  });
  for (const command of [['config'], ['status', '--verbose']]) {
    const { code, stdout, stderr } = await runHere(home, command);
    assert.equal(code, 0, stderr);
    const all = stdout + stderr;
    assert.match(all, /https requests go through http:\/\/\*\*\*@proxy\.example:3128/);
    assert.match(all, /intern\.example/);
    assert.match(all, /\/nowhere\/ca\.pem/);
    assert.doesNotMatch(all, /canary/);
  }
});

test('[A-268] variables that make Node.js print tokens or trust anybody are told of', async () => {
  await using home = await makeHome({ NODE_DEBUG: 'http', NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  const { code, stderr } = await runHere(home, ['status']);
  assert.equal(code, 0);
  assert.match(stderr, /NODE_DEBUG\b.*\n.*NODE_TLS_REJECT_UNAUTHORIZED=0\b/);
});

test('[A-265] nothing in a value is expanded', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a hostile file would hold
  const caFile = '/etc/${GITHUB_TOKEN}/$(id)/~';
  await using home = await homeWith({ caFile }, { GITHUB_TOKEN: 'canary' });
  assert.equal((await runHere(home, ['config', 'get', 'caFile'])).stdout, `${caFile}\n`);
});

test('the address built into a release is what is used where nothing is configured, and nowhere else', async () => {
  // Neither is ever asked: no document may lie at such an address.
  const release = 'http://release.postern/client.json';
  const configured = 'http://configured.postern/client.json';
  const checked = async (env: Record<string, string>, clientMetadataUrl: string) => {
    await using home = await makeHome(env);
    const command = ['client-metadata', 'check', '--json'];
    const { code, stdout } = await runHere(home, command, '', { world: { clientMetadataUrl } });
    return [code, code === 5 ? JSON.parse(stdout).url : stdout];
  };
  assert.deepEqual(await checked({}, release), [5, release]);
  assert.deepEqual(await checked({ POSTERN_CLIENT_METADATA_URL: configured }, release), [5, configured]);
  assert.doesNotMatch(String((await checked({}, ''))[1]), /postern\/client/, 'a release without one has none');
});

test('a value that does not fit is refused with those that do, and nothing is changed', async () => {
  await using home = await homeWith({ timeoutSeconds: 77 });
  const { code, stderr } = await runHere(home, ['config', 'set', 'timeoutSeconds', 'abc']);
  assert.equal(code, 2);
  assert.match(stderr, /10 to 3600\b.*postern config get timeoutSeconds/s);
  assert.equal((await runHere(home, ['config', 'get', 'timeoutSeconds'])).stdout, '77\n');
});

test('[A-266] a configuration that is mistyped, or that others could have written, is not used: exit 2, and why', async () => {
  await using home = await homeWith({ stoer: 'file' });
  const mistyped = await runHere(home, ['config']);
  assert.equal(mistyped.code, 2);
  assert.match(mistyped.stderr, /"stoer".*\bstore\b/);
  const file = join(home.path, 'config', 'postern', 'config.json');
  await writeFile(file, '{"store":"file"}');
  await chmod(file, 0o666);
  for (const command of [['config'], ['login', 'http://127.0.0.1:1/mcp', '--no-browser']]) {
    const { code, stderr } = await runHere(home, command);
    assert.equal(code, 2);
    assert.match(stderr, /\b666\b.*configuration_unusable/s);
  }
});
