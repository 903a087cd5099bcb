import { connect, type Socket } from 'node:net';
import { sessionBusAddress } from './bus-address.js';
import { type BusMessage, decodeMessage, encodeCall } from './bus-message.js';

/**
 * What a look at the Secret Service shows. `hung`: no answer in time. `unknown`: it answers, but not as expected,
 * or at an address that is not spoken here.
 */
export type Health = 'healthy' | 'locked' | 'no_bus' | 'no_service' | 'no_collection' | 'hung' | 'unknown';

/**
 * Asks the session bus whether the default keyring can be read now: one connection, all that is to be said in one
 * write. It comes before each use of the keychain, whose own calls cannot be ended once they hang. Never rejects.
 * @param limitMs After this long the answer is `hung`.
 * @param whileWaiting Called when the questions are sent: what else has to be done meanwhile.
 */
export async function probeSecretService(
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
  whileWaiting: () => void,
): Promise<Health> {
  const { sockets, others } = sessionBusAddress(env);
  const until = performance.now() + limitMs;
  for (const path of sockets) {
    const health = await ask(path, Math.max(1, until - performance.now()), whileWaiting);
    if (health !== 'no_bus') {
      return health;
    }
  }
  return others ? 'unknown' : 'no_bus';
}

const aliasSerial = 2;
const lockedSerial = 3;
const mostBytes = 262_144;

/** EXTERNAL authentication (D-Bus specification, "Authentication Protocol"), then the calls, without a pause. */
function questions(): Buffer {
  const user = Buffer.from(String(process.geteuid?.() ?? 0)).toString('hex');
  const secrets = { destination: 'org.freedesktop.secrets', path: '/org/freedesktop/secrets' };
  return Buffer.concat([
    Buffer.from(`\0AUTH EXTERNAL ${user}\r\nBEGIN\r\n`, 'latin1'),
    encodeCall({
      serial: 1,
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'Hello',
      strings: [],
    }),
    encodeCall({
      ...secrets,
      serial: aliasSerial,
      interface: 'org.freedesktop.Secret.Service',
      member: 'ReadAlias',
      strings: ['default'],
    }),
    encodeCall({
      ...secrets,
      serial: lockedSerial,
      path: `${secrets.path}/aliases/default`,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      strings: ['org.freedesktop.Secret.Collection', 'Locked'],
    }),
  ]);
}

function ask(path: string, limitMs: number, whileWaiting: () => void): Promise<Health> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ path });
    const end = (health: Health): void => {
      clearTimeout(limit);
      socket.destroy();
      resolve(health);
    };
    const limit = setTimeout(() => end('hung'), limitMs);
    let connected = false;
    let received: Buffer = Buffer.alloc(0);
    const answers = new Map<number, BusMessage>();
    const judge = (): Health | undefined => {
      for (;;) {
        const next = takeMessage(received);
        if (next === 'wait') return undefined;
        if (next === 'strange') return 'unknown';
        received = next.rest;
        if (next.message !== undefined) answers.set(next.message.replySerial, next.message);
        const health = healthOf(answers.get(lockedSerial), answers.get(aliasSerial));
        if (health !== undefined) return health;
      }
    };
    socket.on('connect', () => {
      connected = true;
      socket.write(questions());
      whileWaiting();
    });
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const health = received.length > mostBytes ? 'unknown' : judge();
      if (health !== undefined) end(health);
    });
    socket.on('error', () => end(connected ? 'unknown' : 'no_bus'));
    socket.on('close', () => end(connected ? 'unknown' : 'no_bus'));
  });
}

/** The next message of the stream; the one line before them all counts as an empty one. */
function takeMessage(
  received: Buffer,
): { readonly message: BusMessage | undefined; readonly rest: Buffer } | 'wait' | 'strange' {
  if (received.length === 0) {
    return 'wait';
  }
  if (received[0] === 0x4f) {
    const end = received.indexOf('\r\n');
    return end < 0 ? 'wait' : { message: undefined, rest: received.subarray(end + 2) }; // OK <guid>
  }
  const decoded = decodeMessage(received);
  if (decoded.state === 'whole') {
    return { message: decoded.message, rest: received.subarray(decoded.length) };
  }
  const isMessage = received[0] === 0x6c || received[0] === 0x42;
  return decoded.state === 'incomplete' && isMessage ? 'wait' : 'strange'; // REJECTED, ERROR, noise
}

/** Undefined until enough is known: the two answers come in any order. */
function healthOf(locked: BusMessage | undefined, alias: BusMessage | undefined): Health | undefined {
  if (locked === undefined) {
    return undefined;
  }
  if (locked.kind === 'return') {
    return locked.value === false ? 'healthy' : locked.value === true ? 'locked' : 'unknown';
  }
  const name = locked.errorName.replace('org.freedesktop.DBus.Error.', '');
  if (name === 'ServiceUnknown' || name === 'NameHasNoOwner' || name.startsWith('Spawn.')) {
    return 'no_service';
  }
  if (name === 'NoReply' || name === 'Timeout' || name === 'TimedOut') {
    return 'hung';
  }
  return alias === undefined ? undefined : alias.value === '/' ? 'no_collection' : 'unknown';
}
