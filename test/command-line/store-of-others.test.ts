import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { refreshTokensSent } from '../support/at-stage.js';

import { makeHome, makeHomeWithKey } from '../support/home.js';
import { runHere } from '../support/in-process.js';
import { needs } from '../support/needs.js';
import { startSandbox } from '../support/start-sandbox.js';

/** A helper program that keeps each item in a file; `spoil` says how it spoils what is not what it had at first. */
const helper = `folder="$(dirname "$0")/../kept"
spoil="$(cat "$(dirname "$0")/../spoil")"
input="$(cat)"
name() { printf %s "$1" | sed -n 's/.*"ServerURL":"\\([^"]*\\)".*/\\1/p' | tr -c 'A-Za-z0-9\\n' _; }
case $1 in
  store)
    file="$folder/$(name "$input")"
    if [ -n "$spoil" ] && [ "$input" != "$(cat "$file.first")" ]; then
      [ "$spoil" = changed ] && input="$(printf %s "$input" | sed 's/eyJ/eyK/g')"
      [ "$spoil" = cut ] && input="$(printf %s "$input" | sed 's/.\\{200\\}"}$/"}/')"
    fi
    printf %s "$input" > "$file" ;;
  get)
    file="$folder/$(printf %s "$input" | tr -c 'A-Za-z0-9\\n' _)"
    if [ -f "$file" ]; then cat "$file"; else echo 'credentials not found in native keychain'; exit 1; fi ;;
  erase) rm -f "$folder/$(printf %s "$input" | tr -c 'A-Za-z0-9\\n' _)" ;;
esac
`;

test('[A-196][A-200] a docker-credential helper that gives back another item, a cut or a changed one: no token is printed, and none is lost', {
  skip: needs('sh'),
}, async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using bare = await makeHome();
  for (const folder of ['bin', 'kept']) await mkdir(join(bare.path, folder));
  await writeFile(join(bare.path, 'bin', 'docker-credential-fake'), `#!/bin/sh\n${helper}`, { mode: 0o755 });
  const env = { ...bare.env, PATH: `${join(bare.path, 'bin')}:${bare.env['PATH']}`, POSTERN_STORE: 'helper:fake' };
  const home = { ...bare, env };
  const spoil = (how: string) => writeFileSync(join(bare.path, 'spoil'), how);
  spoil('');
  for (const name of ['one', 'two']) {
    const words = ['login', sandbox.serverUrl, '--device', '--name', name, '--account', name];
    const { code, stderr } = await runHere(home, words);
    assert.equal(code, 0, stderr);
  }
  const token = (...words: string[]) => runHere(home, ['token', '--json', ...words]);
  const refused = async (code: RegExp, ...words: string[]) => {
    const ended = await token(...words);
    assert.deepEqual([ended.code, ended.stdout], [7, ''], ended.stderr);
    assert.match(JSON.parse(ended.stderr).error.code, code);
  };
  const kept = join(bare.path, 'kept');
  const [one = '', two = ''] = readdirSync(kept);
  const swap = () => {
    for (const [from, to] of [
      [one, 'aside'],
      [two, one],
      ['aside', two],
    ] as const)
      renameSync(join(kept, from), join(kept, to));
  };
  swap();
  for (const name of ['one', 'two']) await refused(/^credential_corrupt$/, name);
  swap();
  for (const name of [one, two]) copyFileSync(join(kept, name), join(kept, `${name}.first`));
  // What a refresh has brought is sealed until the helper keeps it: it is moved there, and not asked for again.
  for (const [how, name] of [
    ['changed', 'one'],
    ['cut', 'two'],
  ] as const) {
    const sent = refreshTokensSent({ sandbox }).length;
    spoil(how);
    await refused(/^refresh_not_stored$/, name, '--refresh');
    spoil('');
    const moved = await token(name);
    assert.equal(moved.code, 0, moved.stderr);
    assert.equal(refreshTokensSent({ sandbox }).length, sent + 1);
  }
});

test('[A-201] a state folder below one that another group may write: nothing of it is used, and nothing is written', {
  skip: needs('root'),
}, async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  const login = ['login', sandbox.serverUrl, '--device', '--name', 'work'];
  assert.equal((await runHere(home, login)).code, 0);
  const above = join(home.path, 'state');
  chownSync(above, 0, 54_321);
  const asked = sandbox.requests.length;
  for (const mode of [0o775, 0o770]) {
    chmodSync(above, mode);
    for (const words of [
      ['token', 'work'],
      ['call', 'work', 'whoami'],
      ['logout', 'work'],
      [...login, '--force'],
    ]) {
      const { code, stdout, stderr } = await runHere(home, [...words, '--json']);
      assert.equal(code, 7, `${words}: ${stdout}`);
      assert.match(JSON.parse(stderr).error.code, /^(?:state|index)_unsafe$/);
    }
  }
  assert.deepEqual(
    sandbox.requests.slice(asked).filter(({ path }) => path === '/token' || path.includes('device')),
    [],
  );
  for (const mode of [0o1775, 0o755]) {
    chmodSync(above, mode);
    assert.equal((await runHere(home, ['token', 'work'])).code, 0, mode.toString(8));
  }
});
