import { connect, type Socket } from 'node:net';
import { busOwner, sessionBusAddress } from './bus-address.js';
import { type BusMessage, decodeMessage, encodeCall, type MethodCall, promptEnded } from './bus-messages.js';

/** Why a bus gives no response. `unknown`: an unexpected message, or an address of a kind that is not supported. */
export type BusTrouble = 'no_bus' | 'foreign_bus' | 'hung' | 'unknown';

/**
 * Connects to the first address of the session bus that accepts; to none where one of them is another user's, since the
 * native package may take that one. Never rejects.
 */
export async function connectBus(
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<BusConnection | BusTrouble> {
  const { sockets, others } = sessionBusAddress(env);
  const owners = sockets.map((path) => ({ path, owner: busOwner(path) }));
  if (owners.some(({ owner }) => owner === 'foreign')) return 'foreign_bus';
  for (const { path } of owners.filter(({ owner }) => owner === 'ours')) {
    const socket = connect(path).on('error', () => undefined); // and is closed
    const isOpen = await new Promise<boolean>((resolve) =>
      socket.on('connect', () => resolve(true)).on('close', () => resolve(false)),
    );
    if (isOpen) return new BusConnection(socket, limitMs);
  }
  return others ? 'unknown' : 'no_bus';
}

const maxBytes = 1_048_576;

/** A connection to the session bus, with a time limit for what is done on it. */
export class BusConnection implements Disposable {
  readonly #socket: Socket;
  #limit: NodeJS.Timeout | undefined;
  /** By the serial number of a call, or the object of a prompt. */
  readonly #waiting = new Map<number | string, (response: BusMessage | BusTrouble) => void>();
  #received: Buffer = Buffer.alloc(0);
  #serial = 0;
  #trouble: BusTrouble | undefined;

  /** Greets with EXTERNAL (D-Bus specification, "Authentication Protocol"), without waiting for the bus to agree. */
  constructor(socket: Socket, limitMs: number) {
    this.#socket = socket;
    this.limit(limitMs);
    socket.on('data', (bytes) => this.#read(bytes)).on('close', () => this.#end('unknown'));
    const user = Buffer.from(String(process.geteuid?.() ?? 0)).toString('hex');
    socket.write(`\0AUTH EXTERNAL ${user}\r\nBEGIN\r\n`, 'latin1');
    void this.call(busCall('Hello'));
  }

  /** Never rejects. */
  call(call: MethodCall): Promise<BusMessage | BusTrouble> {
    this.#serial += 1;
    if (this.#trouble === undefined) this.#socket.write(encodeCall(call, this.#serial));
    return this.#responseTo(this.#serial);
  }

  /** The end of the prompt that is this object. Never rejects. */
  promptEnd(path: string): Promise<BusMessage | BusTrouble> {
    return this.#responseTo(path);
  }

  /** What is done from now on has so many milliseconds. */
  limit(ms: number): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.#end('hung'), ms);
  }

  [Symbol.dispose](): void {
    this.#end('unknown');
  }

  #responseTo(waited: number | string): Promise<BusMessage | BusTrouble> {
    if (this.#trouble !== undefined) return Promise.resolve(this.#trouble);
    return new Promise((resolve) => this.#waiting.set(waited, resolve));
  }

  #end(trouble: BusTrouble): void {
    this.#trouble ??= trouble;
    clearTimeout(this.#limit);
    this.#socket.destroy();
    for (const respond of this.#waiting.values()) respond(this.#trouble);
    this.#waiting.clear();
  }

  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    if (this.#received.length > maxBytes) this.#end('unknown');
    while (this.#received.length > 0 && this.#trouble === undefined) {
      const length = this.#take();
      if (length === 0) break;
      this.#received = this.#received.subarray(length);
    }
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

/** A call of the bus itself. */
export function busCall(member: string, ...texts: readonly string[]): MethodCall {
  const name = 'org.freedesktop.DBus';
  const signature = 's'.repeat(texts.length);
  return { destination: name, path: '/org/freedesktop/DBus', interface: name, member, signature, arguments: texts };
}
