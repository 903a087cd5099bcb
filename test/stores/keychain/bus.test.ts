import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { sessionBusAddress } from '../../../src/stores/keychain/bus-address.js';
import { decodeMessage, encodeCall } from '../../../src/stores/keychain/bus-messages.js';
import { createKeychain } from '../../../src/stores/keychain/keychain.js';
import { anyText } from '../../support/arbitraries.js';
import { defaultLimits, Failure } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from '../state/real-clock.js';

test('the bus is looked for where libdbus looks', () => {
  const socketsOf = (env: Record<string, string>) => sessionBusAddress(env);
  assert.deepEqual(socketsOf({}), { sockets: [], others: false });
  assert.deepEqual(socketsOf({ XDG_RUNTIME_DIR: '/run/user/1' }), { sockets: ['/run/user/1/bus'], others: false });
  assert.deepEqual(socketsOf({ XDG_RUNTIME_DIR: 'run' }), { sockets: [], others: false });
  const listed = {
    XDG_RUNTIME_DIR: '/run/user/1',
    DBUS_SESSION_BUS_ADDRESS:
      'tcp:host=h,port=1;unix:abstract=/tmp/dbus-x,guid=1;unix:guid=2,path=/a%20b%c3%a9;unix:runtime=yes',
  };
  assert.deepEqual(socketsOf(listed), { sockets: ['\0/tmp/dbus-x', '/a bé', '/run/user/1/bus'], others: true });
});

/** What the keychain of this environment says that is the matter. */
async function troubleAt(env: Record<string, string>): Promise<string> {
  const limits = { ...defaultLimits, storeSeconds: 0.2 };
  const keychain = createKeychain({
    ...{ env, limits, platform: 'linux', clock: realClock, interactive: false, notify: () => undefined },
  });
  const failure = await keychain.ready().catch((error: unknown) => error);
  assert.ok(failure instanceof Failure && failure.exit === 7);
  return failure.message;
}

const hung = /did not respond within 0.2 s/;
const ofOthers = /belongs to another user/;
const noBus = /no D-Bus session/;
const strange = /failed to unlock/;

/** Says where it listens, and each connection. */
const busScript = `
  require('node:net').createServer(() => console.log('connected')).listen(process.argv[1].replace('@', '\\0'), () => console.log('listens'));
`;

/** A program of another user, or of ours, that listens there. */
async function listenAs(uid: number, address: string) {
  const child = spawn(process.execPath, ['-e', busScript, address], { uid, gid: uid, cwd: '/' });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child.stdout, 'data');
  assert.match(said, /listens/);
  return {
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('another user’s bus is not connected to, wherever it stands in the list; one of ours, or of root, is', {
  skip: process.geteuid?.() === 0 ? false : 'only root can start programs as another user',
}, async () => {
  await using folder = await temporaryFolder();
  chmodSync(folder.path, 0o777);
  const [stranger, name] = [65_534, `postern-test-${process.pid}`];
  await using foreign = await listenAs(stranger, `${folder.path}/foreign`);
  await using abstract = await listenAs(stranger, `@${name}-foreign`);
  await using own = await listenAs(0, `${folder.path}/own`);
  await using ownAbstract = await listenAs(0, `@${name}-own`);
  symlinkSync(`${folder.path}/foreign`, `${folder.path}/link`);
  const probe = (...addresses: string[]) => troubleAt({ DBUS_SESSION_BUS_ADDRESS: addresses.join(';') });
  for (const address of [`path=${folder.path}/foreign`, `path=${folder.path}/link`, `abstract=${name}-foreign`]) {
    assert.match(await probe(`unix:${address}`), ofOthers, address);
    assert.match(await probe(`unix:path=${folder.path}/own`, `unix:${address}`), ofOthers, address);
  }
  assert.deepEqual([foreign.said(), abstract.said(), own.said()], Array(3).fill('listens\n'));
  for (const address of [`path=${folder.path}/own`, `abstract=${name}-own`]) {
    assert.match(await probe(`unix:${address}`), hung, address);
  }
  assert.match(own.said(), /connected/);
  assert.match(ownAbstract.said(), /connected/);
  assert.match(await probe(`unix:abstract=${name}-nobody`), noBus);
});

test('a message is read from any cut of its bytes, and a wrong one ends in a verdict', () => {
  const call = encodeCall(
    {
      destination: 'd.d',
      path: '/p',
      interface: 'i.i',
      member: 'M',
      signature: 'sva{ss}',
      arguments: [
        'é',
        { type: 's', value: '' },
        [
          ['name', 'value'],
          ['other', ''],
        ],
      ],
    },
    7,
  );
  const whole = decodeMessage(Buffer.concat([call, Buffer.from('next')]));
  assert.ok(whole.state === 'whole' && whole.length === call.length && whole.message.kind === 'other');
  for (let length = 0; length < call.length; length += 1) {
    assert.equal(decodeMessage(call.subarray(0, length)).state, 'incomplete');
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (noise, at) => {
      assert.equal(typeof decodeMessage(Buffer.from(noise)).state, 'string');
      const spoilt = Buffer.from(call);
      spoilt[1] = 2; // as an answer, so that its body is read
      spoilt.set(noise.subarray(0, Math.max(0, spoilt.length - at)), Math.min(at, spoilt.length));
      assert.equal(typeof decodeMessage(spoilt).state, 'string');
    }),
    { numRuns: 500 },
  );
});

test('[A-194] nothing to connect to is no bus; a bus that is silent, strange or gone is told apart', async () => {
  await using folder = await temporaryFolder();
  const answers: Record<string, readonly [Buffer | 'close' | undefined, RegExp]> = {
    silent: [undefined, hung],
    gone: ['close', strange],
    rejecting: [Buffer.from('REJECTED EXTERNAL\r\n'), strange],
    noisy: [Buffer.alloc(100, 0xff), strange],
    evasive: [Buffer.from(`OK 1\r\n${`l\u0002\u0000\u0001${'\u0000'.repeat(12)}`.repeat(3)}`), hung],
  };
  for (const [name, [answer, trouble]] of Object.entries(answers)) {
    const path = `${folder.path}/${name}`;
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          if (answer === 'close') socket.destroy();
          else if (answer !== undefined) socket.write(answer);
        });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    assert.match(await troubleAt({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }), trouble, name);
    await new Promise((resolve) => server.close(resolve));
  }
  assert.match(await troubleAt({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/none` }), noBus);
  assert.match(await troubleAt({}), noBus);
  assert.match(await troubleAt({ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1' }), strange);
});

test('a secret is encoded as the specification writes it: session, no parameters, its bytes, what kind of text it is', () => {
  const any = { destination: 'd.d', path: '/p', interface: 'i.i', member: 'M' };
  fc.assert(
    fc.property(anyText({ maxLength: 12 }), anyText({ maxLength: 40 }), (session, text) => {
      const secret = [session, Buffer.alloc(0), Buffer.from(text), 'text/plain'];
      // Read as what a response would be: a return of the same body.
      const bytes = encodeCall({ ...any, signature: '(oayays)', arguments: [secret] }, 7);
      bytes[1] = 2;
      const decoded = decodeMessage(bytes);
      assert.ok(decoded.state === 'whole');
      const wellFormed = (value: string) => Buffer.from(value).toString();
      const [[at, parameters, value, kind] = []] = decoded.message.values as [unknown[]];
      assert.deepEqual([at, kind], [wellFormed(session), 'text/plain']);
      assert.deepEqual([parameters, value], [Buffer.alloc(0), Buffer.from(text)]);
    }),
  );
});
