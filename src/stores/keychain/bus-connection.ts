import { connect, type Socket } from 'node:net';
import { busOwner, sessionBusAddress } from './bus-address.js';
import { type BusMessage, decodeMessage, encodeCall, type MethodCall, promptEnded } from './bus-messages.js';

/** Why a bus gives no response. `unknown`: an unexpected message, or an address of a kind that is not supported. */
export type BusTrouble = 'no_bus' | 'foreign_bus' | 'hung' | 'unknown';

/** A connection to the session bus, with a time limit for what is done on it. */
export interface BusConnection extends Disposable {
  /** Never rejects. Calls made in one turn are written at once, at its end. */
  call(call: MethodCall): Promise<BusMessage | BusTrouble>;
  /** The end of the prompt that is this object. Never rejects. */
  promptEnd(path: string): Promise<BusMessage | BusTrouble>;
  /** What is done from now on has so many milliseconds. */
  limit(ms: number): void;
}

/**
 * Connects to the first address that accepts; to none where one of them is another user's, since the package may take
 * that one. Never rejects.
 */
export async function connectBus(
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<BusConnection | BusTrouble> {
  const { sockets, others } = sessionBusAddress(env);
  const owners = sockets.map((path) => ({ path, owner: busOwner(path) }));
  if (owners.some(({ owner }) => owner === 'foreign')) return 'foreign_bus';
  for (const { path } of owners.filter(({ owner }) => owner === 'ours')) {
    const connection = new Connection(path, limitMs);
    if (await connection.isOpen) {
      connection.greet();
      return connection;
    }
  }
  return others ? 'unknown' : 'no_bus';
}

const maxBytes = 1_048_576;

const pieceBytes = 16_384;

class Connection implements BusConnection {
  readonly isOpen: Promise<boolean>;
  readonly #socket: Socket;
  #limit: NodeJS.Timeout | undefined;
  /** By the serial number of a call, or the object of a prompt. */
  readonly #waiting = new Map<number | string, (response: BusMessage | BusTrouble) => void>();
  #leaving: Buffer[] = [];
  #received: Buffer = Buffer.alloc(0);
  #serial = 0;
  #trouble: BusTrouble | undefined;

  constructor(path: string, limitMs: number) {
    // `onread` and single writes: loading the rest of Node's streams takes a millisecond.
    const callback = (length: number, piece: Uint8Array) => this.#read(piece.subarray(0, length));
    this.#socket = connect({ path, onread: { buffer: Buffer.alloc(pieceBytes), callback } });
    this.isOpen = new Promise((resolve) => {
      this.#socket.on('connect', () => {
        this.limit(limitMs);
        resolve(true);
      });
      this.#socket.on('error', () => undefined); // and is closed
      this.#socket.on('close', () => {
        this.#end('unknown');
        resolve(false);
      });
    });
  }

  call(call: MethodCall): Promise<BusMessage | BusTrouble> {
    if (this.#trouble !== undefined) return Promise.resolve(this.#trouble);
    this.#serial += 1;
    const serial = this.#serial;
    this.#leave(encodeCall(call, serial));
    return new Promise((resolve) => this.#waiting.set(serial, resolve));
  }

  promptEnd(path: string): Promise<BusMessage | BusTrouble> {
    if (this.#trouble !== undefined) return Promise.resolve(this.#trouble);
    return new Promise((resolve) => this.#waiting.set(path, resolve));
  }

  limit(ms: number): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.#end('hung'), ms);
  }

  [Symbol.dispose](): void {
    this.#end('unknown');
  }

  /** EXTERNAL (D-Bus specification, "Authentication Protocol"), without waiting for the bus to agree. */
  greet(): void {
    const user = Buffer.from(String(process.geteuid?.() ?? 0)).toString('hex');
    this.#leave(Buffer.from(`\0AUTH EXTERNAL ${user}\r\nBEGIN\r\n`, 'latin1'));
    const name = 'org.freedesktop.DBus';
    const path = '/org/freedesktop/DBus';
    void this.call({ destination: name, path, interface: name, member: 'Hello', signature: '', arguments: [] });
  }

  #leave(bytes: Buffer): void {
    this.#leaving.push(bytes);
    if (this.#leaving.length > 1) return;
    process.nextTick(() => {
      const all = Buffer.concat(this.#leaving);
      this.#leaving = [];
      if (this.#trouble === undefined) this.#socket.write(all);
    });
  }

  #end(trouble: BusTrouble): void {
    this.#trouble ??= trouble;
    clearTimeout(this.#limit);
    this.#socket.destroy();
    for (const respond of this.#waiting.values()) respond(this.#trouble);
    this.#waiting.clear();
  }

  #read(bytes: Uint8Array): boolean {
    this.#received = Buffer.concat([this.#received, bytes]);
    if (this.#received.length > maxBytes) this.#end('unknown');
    while (this.#received.length > 0 && this.#trouble === undefined) {
      const length = this.#take();
      if (length === 0) break;
      this.#received = this.#received.subarray(length);
    }
    return true;
  }

  /** Takes the next line or message. Returns its length, 0 when it is incomplete. */
  #take(): number {
    const first = this.#received[0];
    if (first === 0x4f) {
      const end = this.#received.indexOf('\r\n');
      return end < 0 ? 0 : end + 2; // OK <guid>
    }
    const decoded = decodeMessage(this.#received);
    if (decoded.state === 'whole') {
      const { message, length } = decoded;
      const waited = message.member === promptEnded ? message.path : message.replySerial;
      this.#waiting.get(waited)?.(message);
      this.#waiting.delete(waited);
      return length;
    }
    const isMessage = first === 0x6c || first === 0x42;
    if (decoded.state === 'malformed' || !isMessage) this.#end('unknown'); // REJECTED, ERROR, noise
    return 0;
  }
}
