import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../../src/app/command-line.js';
import { camelCase, type LooseArguments, type OptionSpec } from '../../../src/core/command.js';
import { loginCommand } from '../../../src/core/login-command.js';
import { deviceLogin } from '../../../src/login/device/device-login.js';
import { givenOptions, notRepeated } from '../../../src/login/given/given-options.js';
import { login } from '../../../src/login/log-in.js';
import { loginTable } from '../../../src/login/login.options.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type WantedLogin } from '../../support/flows/scene.js';
import { makeHomeWithKey } from '../../support/home.js';
import { failureOf } from '../../support/http.js';
import { isFailure, type SandboxOptions } from '../../support/product.js';
import { runProgram } from '../../support/program.js';
import { startSandbox } from '../../support/start-sandbox.js';

const server = 'https://example.com/mcp';
const options: readonly OptionSpec[] = loginTable.options;

async function parsed(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<LooseArguments> {
  const line = await parseCommandLine(['login', ...words], { tables: [loginTable], version: '', env });
  assert.ok(line.kind === 'command');
  return line.args;
}

/** Something that the option takes. */
function valuesFor(option: OptionSpec): readonly string[] {
  if (option.kind === 'boolean') return [];
  if (option.kind === 'number') return [String(option.min)];
  return [option.choices?.at(-1) ?? 'a b;c'];
}

/** The option as it is typed, with those that it needs; two may need each other. */
function typed({ needs = [], ...option }: OptionSpec): readonly string[] {
  const needed = options
    .filter(({ name }) => needs.includes(name))
    .flatMap((one) => typed({ ...one, needs: one.needs?.filter((name) => name !== option.name) ?? [] }));
  return [...needed, `--${option.name}`, ...valuesFor(option)];
}

test('each option of login that is typed is in the command of a remedy again, but for those that say what is made', async () => {
  for (const option of options) {
    const args = await parsed([server, ...typed(option)]);
    const given = givenOptions(args, {});
    if (notRepeated.includes(option.name)) {
      assert.deepEqual(
        given.filter(({ text }) => text.startsWith(`--${option.name}`)),
        [],
        option.name,
      );
      continue;
    }
    const words = loginCommand({ server, given }).match(/'[^']*'|\S+/g) ?? [];
    const again = await parsed(words.slice(2).map((word) => word.replaceAll("'", '')));
    const name = camelCase(option.name);
    assert.deepEqual(again[name], args[name], option.name);
  }
});

test('what a variable says is not repeated, and what nobody has said neither', async () => {
  const env = { POSTERN_STORE: 'file', POSTERN_CLIENT_ID: 'ci', POSTERN_TIMEOUT: '60' };
  assert.deepEqual(givenOptions(await parsed([server], env), env), []);
  const typed = await parsed([server, '--store', 'keychain', '--timeout', '61'], env);
  assert.deepEqual(
    givenOptions(typed, env).map(({ text }) => text),
    ['--store keychain', '--timeout 61'],
  );
});

test('an option that a remedy names takes the place of those that it cannot stand beside', async () => {
  const inRemedies =
    /^(?:no-browser|device|redirect-|client-id$|resource|no-resource|dpop|no-dpop|legacy|header-file|scope|store|auth)/;
  const contradict = new Set(
    options.flatMap(({ name, excludes }) => (excludes === undefined ? [] : [name, ...excludes])),
  );
  for (const remedial of options.filter(({ name }) => inRemedies.test(name))) {
    for (const option of options.filter(({ name }) => !notRepeated.includes(name) && contradict.has(name))) {
      const given = givenOptions(await parsed([server, ...typed(option)]), {});
      const command = loginCommand(
        { server, given },
        `--${remedial.name}`,
        ...valuesFor(remedial).map((one) => `'${one}'`),
      );
      const words = command.match(/'[^']*'|\S+/g) ?? [];
      await parsed(words.slice(2).map((word) => word.replaceAll("'", '')));
    }
  }
  const given = givenOptions(await parsed([server, '--device', '--registration', 'dynamic', '--timeout', '60']), {});
  assert.equal(
    loginCommand({ server, given }, '--no-browser'),
    `postern login ${server} --registration dynamic --timeout 60 --no-browser`,
  );
  assert.equal(
    loginCommand({ server, given }, '--client-id ID'),
    `postern login ${server} --device --timeout 60 --client-id ID`,
  );
});

test('whatever a login fails of, the login that its remedy names has the options that were typed', async () => {
  const rows: Readonly<Record<string, readonly [SandboxOptions, Partial<WantedLogin>?]>> = {
    invalid_target: [{ faults: ['resource-refused'] }],
    redirect_uri_refused: [{ faults: ['registration-localhost-only'] }],
    login_timed_out: [{ faults: ['authorization-localhost-only'] }],
    client_identifier_needed: [{ registration: false, metadataDocuments: false }],
    dpop_not_offered: [{}, { dpop: 'always' }],
    discovery_failed: [{ discovery: 'none', metadata: 'both' }],
  };
  const given = [{ text: '--login-hint me', yieldsTo: ['--login-hint'] }];
  for (const [code, [sandbox, change]] of Object.entries(rows)) {
    await using scene = await openScene(sandbox);
    const { remedy } = await scene.loginFails(code, { given, timeoutMs: 300, name: 'work', ...change });
    assert.match(remedy, /postern login \S+ --name work --login-hint me/, code);
  }
  await using scene = await openScene();
  await using own = await openOwnScene();
  const request = scene.request({ given, name: 'work', server: own.server.url });
  const { remedy } = await failureOf(deviceLogin(scene.ports, request), 'device_flow_missing');
  assert.match(remedy, / --name work --login-hint me --no-browser$/);
});

test('a program’s login that is paused for its many tabs names the options that it was started with', async () => {
  await using scene = await openScene({}, { browse: async () => undefined });
  const given = givenOptions(
    await parsed([scene.sandbox.serverUrl, '--store', 'file', '--redirect-uri', 'http://localhost/x']),
    {},
  );
  const asked = scene.request({ given, caller: () => 'an agent', timeoutMs: 20, name: 'work' });
  for (let tab = 0; tab < 3; tab += 1) await assert.rejects(login(scene.ports, asked));
  const paused = await login(scene.ports, asked).catch((reason: unknown) => reason);
  assert.ok(isFailure(paused, 'too_many_tabs'));
  assert.equal(
    paused.remedy,
    `Run: postern login ${scene.sandbox.serverUrl} --name work --redirect-uri http://localhost/x --store file`,
  );
});

test('the program itself prints them: for a store that is not there, and where nobody may be asked', async () => {
  await using sandbox = await startSandbox();
  await using home = await makeHomeWithKey();
  const typed = ['--account', 'me', '--name', 'work', '--client-name', 'My tool', '--device'];
  const words = ['login', sandbox.serverUrl, ...typed];
  const { stderr } = await runProgram(home, [...words, '--store', 'helper:nowhere']);
  const again = `postern login ${sandbox.serverUrl} --account me --name work --client-name 'My tool'`;
  assert.ok(stderr.includes(`${again} --device --store file`), stderr);
  const nobody = { ...home, env: { ...home.env, CI: 'true' } };
  const browser = await runProgram(nobody, ['login', sandbox.serverUrl, ...typed.slice(0, -1), '--store', 'file']);
  assert.ok(browser.stderr.includes(`${again} --store file`), browser.stderr);
});
