import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { sessionBusAddress } from '../../../src/stores/keychain/bus-address.js';
import { decodeMessage, encodeCall } from '../../../src/stores/keychain/bus-messages.js';
import { probeSecretService } from '../../../src/stores/keychain/probe.js';
import { SessionBus } from '../../../src/stores/keychain/session-bus.js';
import { anyText } from '../../support/arbitraries.js';
import { temporaryFolder } from '../../support/temporary.js';

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

const healthAt = async (env: Record<string, string>) => (await probeSecretService(new SessionBus(env), 200)).health;

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
  const probe = (...addresses: string[]) => healthAt({ DBUS_SESSION_BUS_ADDRESS: addresses.join(';') });
  for (const address of [`path=${folder.path}/foreign`, `path=${folder.path}/link`, `abstract=${name}-foreign`]) {
    assert.equal(await probe(`unix:${address}`), 'foreign_bus', address);
    assert.equal(await probe(`unix:path=${folder.path}/own`, `unix:${address}`), 'foreign_bus', address);
  }
  assert.deepEqual([foreign.said(), abstract.said(), own.said()], Array(3).fill('listens\n'));
  for (const address of [`path=${folder.path}/own`, `abstract=${name}-own`]) {
    assert.equal(await probe(`unix:${address}`), 'hung', address);
  }
  assert.match(own.said(), /connected/);
  assert.match(ownAbstract.said(), /connected/);
  assert.equal(await probe(`unix:abstract=${name}-nobody`), 'no_bus');
});

test('a message is read from any cut of its bytes, and a wrong one ends in a verdict', () => {
  const call = encodeCall(
    {
      destination: 'd.d',
      path: '/p',
      interface: 'i.i',
      member: 'M',
      arguments: [
        { type: 's', text: 'é' },
        { type: 'v', text: '' },
        { type: 'a{ss}', entries: { name: 'value', other: '' } },
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
  const answers: Record<string, Buffer | 'close' | undefined> = {
    silent: undefined,
    gone: 'close',
    rejecting: Buffer.from('REJECTED EXTERNAL\r\n'),
    noisy: Buffer.alloc(100, 0xff),
    evasive: Buffer.from(`OK 1\r\n${`l\u0002\u0000\u0001${'\u0000'.repeat(12)}`.repeat(3)}`),
  };
  const found: Record<string, string> = {};
  for (const [name, answer] of Object.entries(answers)) {
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
    found[name] = await healthAt({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` });
    await new Promise((resolve) => server.close(resolve));
  }
  assert.deepEqual(found, { silent: 'hung', gone: 'unknown', rejecting: 'unknown', noisy: 'unknown', evasive: 'hung' });
  const none = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/none` };
  assert.equal(await healthAt(none), 'no_bus');
  assert.equal(await healthAt({}), 'no_bus');
  const tcp = { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1' };
  assert.equal(await healthAt(tcp), 'unknown');
});

test('a secret is encoded as the specification writes it: session, no parameters, its bytes, what kind of text it is', () => {
  const any = { destination: 'd.d', path: '/p', interface: 'i.i', member: 'M' };
  fc.assert(
    fc.property(anyText({ maxLength: 12 }), anyText({ maxLength: 40 }), (session, text) => {
      const secret = { type: '(oayays)', session, text, contentType: 'text/plain' } as const;
      // Read as what a response would be: a return of the same body.
      const bytes = encodeCall({ ...any, arguments: [secret] }, 7);
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

test('calls are encoded as the specification writes them, texts of any character, a dictionary of any size', () => {
  const texts = anyText({ maxLength: 12 });
  const any = { destination: 'd.d', path: '/p', interface: 'i.i', member: 'M' };
  fc.assert(
    fc.property(texts, fc.dictionary(texts, texts, { maxKeys: 5 }), fc.nat(0xffff_fffe), (text, entries, serial) => {
      const bytes = encodeCall(
        {
          ...any,
          arguments: [
            { type: 's', text },
            { type: 'a{ss}', entries },
          ],
        },
        serial + 1,
      );
      assert.equal(bytes.readUInt32LE(8), serial + 1);
      const bodyAt = (16 + bytes.readUInt32LE(12) + 7) & ~7;
      assert.equal(bytes.length, bodyAt + bytes.readUInt32LE(4));
      let at = bodyAt;
      const word = () => {
        at = (at + 3) & ~3;
        at += 4;
        return bytes.readUInt32LE(at - 4);
      };
      const string = () => {
        const length = word();
        at += length + 1;
        assert.equal(bytes[at - 1], 0);
        return bytes.toString('utf8', at - 1 - length, at - 1);
      };
      assert.equal(string(), Buffer.from(text).toString());
      const length = word();
      at = (at + 7) & ~7;
      const from = at;
      for (const [name, value] of Object.entries(entries)) {
        at = (at + 7) & ~7;
        assert.deepEqual(
          [string(), string()],
          [name, value].map((one) => Buffer.from(one).toString()),
        );
      }
      assert.deepEqual([at, at - from], [bytes.length, length]);
    }),
  );
});
