import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Keyring, type KeyringState, startKeyring } from '../../support/keyring.js';
import { needs } from '../../support/needs.js';
import { findSecrets } from '../../support/secrets-search.js';
import { temporaryFolder } from '../../support/temporary.js';
import { allFailed, everything, type KeychainResult, type KeychainSession, openKeychain } from './keychain-session.js';

const skip = needs('gnome-keyring', 'dbus', 'secret-tool');
const key = 'cd'.repeat(32);
const canary = 'canary-of-the-trouble-test';

test('[A-193] locked and nobody there: fails at once, touches nothing, writes nothing elsewhere', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using home = await temporaryFolder();
  const env = { ...keyring.env, HOME: home.path, XDG_RUNTIME_DIR: home.path };
  await using keychain = openKeychain(env, { limits: { storeSeconds: 60, unlockSeconds: 60 } });
  await keychain.do('write', key, 'kept');
  await keyring.lock();
  allFailed(await everything(keychain), 'store_locked', /--replace --unlock/);
  assert.deepEqual(await findSecrets({ canary }, { folders: [home.path, keyring.folder], texts: {} }), []);
  assert.doesNotMatch(readFileSync('/proc/keys', 'utf8'), /postern/, 'nor in the kernel’s keyring');
  await keyring.unlock();
  assert.equal((await keychain.do('read', key)).value, 'kept', 'and works again once it is open');
});

test('[A-193] the remedy that is named does unlock it', { skip }, async () => {
  await using keyring = await startKeyring('locked');
  await using keychain = openKeychain(keyring.env);
  const { failure } = await keychain.do('ready');
  const [command] = /gnome-keyring-daemon [a-z= -]+secrets/.exec(failure?.remedy ?? '') ?? [];
  assert.equal(command, 'gnome-keyring-daemon --replace --unlock --components=secrets');
  await keyring.typePassword((command ?? '').split(' '));
  assert.deepEqual(await keychain.do('ready'), { notices: [] });
});

test('[A-195] a prompt that nobody answers: the person is told, the wait ends, and it is asked for once', {
  skip,
}, async () => {
  await using keyring = await startKeyring('unanswered-prompt');
  const limits = { unlockSeconds: 2 };
  await using keychain = openKeychain(keyring.env, { interactive: true, limits });
  const results = await everything(keychain);
  allFailed(results, 'store_locked', /Unlock it/);
  assert.equal(results.at(-1)?.notices?.length, 1);
});

test('[A-195] a prompt that is refused: told from one that is not answered', { skip }, async () => {
  await using keyring = await startKeyring('locked'); // without a display its prompt fails at once
  await using keychain = openKeychain(keyring.env, { interactive: true });
  const { failure } = await keychain.do('write', key, canary);
  assert.equal(failure?.code, 'store_locked');
  assert.match(failure.message, /dismissed/);
});

const absent: [state: KeyringState, remedy: RegExp][] = [
  ['no-service', /apt-get install gnome-keyring/],
  ['no-default-collection', /--replace --unlock/],
  ['activatable', /--replace --unlock/],
];
for (const [state, remedy] of absent) {
  test(`[A-194] no keychain (${state}): says so, and what to do`, { skip }, async () => {
    await using keyring = await startKeyring(state);
    await using keychain = openKeychain(keyring.env, { interactive: true });
    allFailed(await everything(keychain), 'store_unavailable', remedy);
  });
}

test('[A-194] no bus: says so, and what to do', { skip: needs('dbus') }, async () => {
  await using keychain = openKeychain({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' });
  allFailed(await everything(keychain), 'store_unavailable', /--store file.*postern help stores/);
  await using without = openKeychain({});
  const failed = await everything(without);
  allFailed(failed, 'store_unavailable', /--store file.*postern help stores/);
  for (const { failure } of failed)
    assert.match(failure?.remedy ?? '', /: postern help stores$/, 'to be typed as it stands');
  assert.match(JSON.stringify(failed), /DBUS_SESSION_BUS_ADDRESS is not set/);
  assert.doesNotMatch(JSON.stringify(failed), /leads nowhere/);
});

test('[A-195] a session bus that takes a connection and says nothing: every method ends within its limit, only the first waits', async () => {
  await using folder = await temporaryFolder();
  const sockets: Socket[] = [];
  const bus = createServer((socket) => sockets.push(socket.on('error', () => undefined).resume()));
  await once(bus.listen(`${folder.path}/bus`), 'listening');
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/bus` };
  await using keychain = openKeychain(env, { limits: { storeSeconds: 0.7 } });
  allFailed(await everything(keychain), 'store_timeout', /--store file/);
  assert.equal(sockets.length, 1);
  bus.close();
});

test('[A-195] a keychain that hangs: every method ends within its limit, only the first waits', { skip }, async () => {
  await using keyring = await startKeyring();
  const limits = { storeSeconds: 0.7 };
  await using keychain = openKeychain(keyring.env, { limits });
  await keychain.do('write', key, 'kept');
  keyring.pause();
  allFailed(await everything(keychain), 'store_timeout', /restart it/);
  keyring.resume();
  assert.equal(await keyring.lookup(key), 'kept');
  await using next = openKeychain(keyring.env);
  assert.equal((await next.do('read', key)).value, 'kept', 'the next process tries anew');
});

test('[A-136] a keychain killed in the middle of writes: a failure, and what was reported stored is there', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env);
  for (let round = 0; round < 5; round += 1) {
    const stored: string[] = [];
    const killed = wait(round * 7).then(() => keyring.killService());
    let failure: KeychainResult['failure'];
    for (let at = 0; failure === undefined && at < 1000; at += 1) {
      ({ failure } = await keychain.do('write', key, `${round}-${at}`));
      if (failure === undefined) stored.push(`${round}-${at}`);
    }
    await killed;
    assert.equal(failure?.exit, 7);
    assert.match(failure.remedy, /try again|gnome-keyring/);
    await keyring.startService();
    const found = (await keychain.do('read', key)).value;
    const last = stored.at(-1);
    assert.ok(last === undefined || found === last || found === `${round}-${stored.length}`, `${found}`);
  }
});

/** A write that the service has taken and not answered when it is killed. */
async function endIn(keyring: Keyring, keychain: KeychainSession): Promise<KeychainResult> {
  keyring.pause();
  const written = keychain.do('write', key, 'new');
  await wait(300);
  await keyring.killService();
  return written;
}

test('[A-136] a keychain that ends in the middle of a request, and is started anew: the request is made again', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env, { limits: { storeSeconds: 8 } });
  await keychain.do('write', key, 'old');
  const written = endIn(keyring, keychain);
  await wait(1_000);
  await keyring.startService();
  assert.deepEqual(await written, { notices: [] });
  assert.equal((await keychain.do('read', key)).value, 'new');
});

test('[A-136] a keychain that ends in the middle of a request, and stays away: said so, and not that there is none', {
  skip,
}, async () => {
  await using keyring = await startKeyring();
  await using keychain = openKeychain(keyring.env, { limits: { storeSeconds: 8 } });
  await keychain.do('write', key, 'old');
  const { failure } = await endIn(keyring, keychain);
  assert.deepEqual([failure?.code, failure?.exit], ['store_unavailable', 7]);
  assert.match(failure?.message ?? '', /has ended in the middle of a request/);
  assert.match(failure?.remedy ?? '', /--replace --unlock.*then try again/);
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('[A-195] [A-207] [R-5.8b] the helper process, which macOS needs, is killed when it hangs, knows no secret by argument or environment, and dies with its parent', {
  skip,
}, async () => {
  await using keyring = await startKeyring('unanswered-prompt');
  const env = { ...keyring.env, NODE_DEBUG: 'none', NODE_OPTIONS: '--no-warnings' };
  await using limited = openKeychain(env, { platform: 'darwin', limits: { storeSeconds: 1 } });
  assert.equal((await limited.do('write', key, canary)).failure?.code, 'store_timeout');
  await until(() => (childrenOf(limited.pid).some(isAlive) ? [] : ['the process that hung was killed']));
  const keychain = openKeychain(env, { platform: 'darwin' });
  const written = keychain.do('write', key, canary).catch(() => undefined);
  const [helper = 0] = await until(() => childrenOf(keychain.pid).filter(isExecuting));
  const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${helper}/${name}`, 'latin1')).join();
  assert.match(shown, /DBUS_SESSION_BUS_ADDRESS/);
  assert.doesNotMatch(shown, /canary|NODE_/);
  await keychain[Symbol.asyncDispose](); // SIGKILL
  await written;
  await until(() => (isAlive(helper) ? [] : [true]));
});

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Past its `exec`: before, it shows its parent's arguments. */
function isExecuting(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('keychain-child');
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** What another process does is seen only by looking. */
async function until<T>(look: () => T[]): Promise<T[]> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = look();
    if (found.length > 0) return found;
    await wait(10);
  }
  throw new Error('waited in vain');
}
