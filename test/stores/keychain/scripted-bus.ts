import { createServer, type Socket } from 'node:net';
import { decodeMessage } from '../../../src/stores/keychain/bus-messages.js';
import { temporaryFolder } from '../../support/temporary.js';

/** The body of a reply (D-Bus specification, "Marshaling"), with the few types that are needed here. */
export class Body {
  bytes = Buffer.alloc(0);

  #put(...pieces: readonly (Buffer | string)[]): this {
    this.bytes = Buffer.concat([this.bytes, ...pieces.map((piece) => Buffer.from(piece))]);
    return this;
  }

  align(to: number): this {
    return this.#put(Buffer.alloc(-this.bytes.length & (to - 1)));
  }

  number(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.align(4).#put(bytes);
  }

  text(value: string): this {
    return this.number(value.length).#put(`${value}\0`);
  }

  list(values: readonly string[]): this {
    const entries = new Body();
    for (const value of values) entries.text(value);
    return this.number(entries.bytes.length).#put(entries.bytes);
  }

  octets(value: string): this {
    return this.number(value.length).#put(value);
  }

  signature(value: string): this {
    return this.#put(Buffer.from([value.length]), `${value}\0`);
  }
}

export interface Reply {
  readonly signature: string;
  readonly body: Body;
}

function encoded({ signature, body }: Reply, to: number): Buffer {
  const fields = new Body().align(8);
  fields.bytes = Buffer.from([5, 1, 0x75, 0]);
  fields.number(to).align(8);
  fields.bytes = Buffer.concat([fields.bytes, Buffer.from([8, 1, 0x67, 0])]);
  fields.signature(signature);
  const head = new Body();
  head.bytes = Buffer.from('l\u0002\u0001\u0001', 'latin1');
  head.number(body.bytes.length).number(to).number(fields.bytes.length);
  const padding = Buffer.alloc(-(head.bytes.length + fields.bytes.length) & 7);
  return Buffer.concat([head.bytes, fields.bytes, padding, body.bytes]);
}

const session: Reply = { signature: 'vo', body: new Body().signature('s').text('').text('/session') };
export const found = (open: readonly string[], locked: readonly string[]): Reply => ({
  signature: 'aoao',
  body: new Body().list(open).list(locked),
});
export const secret = (value: string): Reply => ({
  signature: '(oayays)',
  body: new Body().text('/session').octets('').octets(value).text('text/plain'),
});
export const odd: Reply = { signature: 's', body: new Body().text('odd') };

/** By what the call names: its member, or its object's path, whichever stands here first. */
export type Replies = Readonly<Record<string, Reply | (() => Reply) | undefined>>;

/** A bus on which the Secret Service says these things, which no real one can be made to say. */
export async function startBus(replies: Replies) {
  const folder = await temporaryFolder();
  const all: Replies = { ...{ Hello: odd, ReadAlias: odd, OpenSession: session }, ...replies };
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const serve = (socket: Socket): void => {
    let waiting = Buffer.alloc(0);
    let isOpen = false;
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        waiting = Buffer.concat([waiting, chunk]);
        if (!isOpen) socket.write('OK 1234deadbeef\r\n');
        const begin = waiting.indexOf('BEGIN\r\n');
        if (!isOpen && begin === -1) return;
        if (!isOpen) waiting = waiting.subarray(begin + 'BEGIN\r\n'.length);
        isOpen = true;
        for (let call = decodeMessage(waiting); call.state === 'whole'; call = decodeMessage(waiting)) {
          const bytes = waiting.subarray(0, call.length);
          waiting = waiting.subarray(call.length);
          const name = Object.keys(all).find((member) => bytes.includes(`${member}\0`)) ?? '';
          asked.push(name);
          const reply = all[name];
          const said = typeof reply === 'function' ? reply() : reply;
          if (said !== undefined) socket.write(encoded(said, bytes.readUInt32LE(8)));
        }
      });
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(`${folder.path}/bus`, resolve));
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/bus` },
    asked,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await folder[Symbol.asyncDispose]();
    },
  };
}
