import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { type OtherService, startKeePassXC, startKWallet } from '../support/other-services.js';
import { walkLogin } from '../support/product.js';
import { runProgram, startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';

async function openHome(service: OtherService) {
  const sandbox = await startSandbox();
  const home = await makeHome(service.env);
  return {
    server: sandbox.serverUrl,
    run: (...args: string[]) => runProgram(home, args),
    login: async () => {
      await using login = startProgram(home, ['login', sandbox.serverUrl, '--no-browser']);
      await walkLogin(await authorizationUrlOf(login));
      return await login.finished;
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

const services = [
  ['KWallet', 'kwallet', () => startKWallet('opened-at-login')],
  ['KeePassXC', 'keepassxc', () => startKeePassXC('open')],
] as const;

for (const [title, need, start] of services) {
  test(`a login whose keychain is ${title}: token, refresh, status, logout`, { skip: needs(need) }, async () => {
    await using service = await start();
    await using stage = await openHome(service);
    const login = await stage.login();
    assert.equal(login.code, 0, login.stderr);
    const first = await stage.run('token', stage.server);
    assert.equal(first.code, 0, first.stderr);
    const [record] = JSON.parse((await stage.run('status', '--json')).stdout).logins;
    assert.equal(record.store, 'keychain');
    const fresh = await stage.run('token', stage.server, '--refresh');
    assert.equal(fresh.code, 0, fresh.stderr);
    assert.notEqual(fresh.stdout, first.stdout);
    assert.equal((await stage.run('token', stage.server)).stdout, fresh.stdout);
    const logout = await stage.run('logout', stage.server);
    assert.equal(logout.code, 0, logout.stderr);
    assert.deepEqual(JSON.parse((await stage.run('status', '--json')).stdout).logins, []);
    assert.equal((await stage.run('token', stage.server)).code, 3);
  });
}

test('[A-193] the wallet is closed after the login: token and status say so at once, in words for KWallet', {
  skip: needs('kwallet'),
}, async () => {
  await using wallet = await startKWallet('opened-at-login');
  await using stage = await openHome(wallet);
  assert.equal((await stage.login()).code, 0);
  await wallet.close();
  const token = await stage.run('token', stage.server);
  assert.deepEqual([token.code, token.stdout], [7, '']);
  assert.match(token.stderr, /KWallet.*\n?.*kwallet-query -l kdewallet/);
  assert.equal((await stage.run('status')).code, 0, 'it reads no secret');
  await wallet.openAtLogin();
  const again = await stage.run('token', stage.server);
  assert.equal(again.code, 0, `open again, it goes on: ${again.stderr}`);
});

test('[A-194] a desktop without a wallet yet: login ends at once, before anything is sent', {
  skip: needs('kwallet'),
}, async () => {
  await using wallet = await startKWallet('no-wallet');
  await using stage = await openHome(wallet);
  const login = await stage.run('login', stage.server, '--no-browser');
  assert.equal(login.code, 7, login.stderr);
  assert.match(login.stderr, /KWallet has no wallet yet/);
});
