import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { admit, admitAgain, type Gate, Sessions } from '../../src/proxy/admit.js';
import { refusal, refuse } from '../../src/proxy/refusal.js';
import { type RequestHandler, ServerConnection } from '../../src/relay/server-connection.js';
import type { IncomingRequest, UnderWay } from '../../src/relay/server-request.js';
import type { ServerResponse } from '../../src/relay/server-response.js';
import { mountOf } from '../proxy/stand.js';

/** A request that a server has taken, and read to the end of its body. */
export interface Taken {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** What a server made of some bytes. */
export interface Made {
  readonly taken: readonly Taken[];
  /** All that it wrote. */
  readonly written: string;
  readonly closed: boolean;
}

/** The two ends of a connection without a network between: pieces arrive as they are pushed. */
export class Wire extends Duplex {
  written = '';

  override _read(): void {
    // what there is, is pushed
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.written += Buffer.from(piece).toString('latin1');
    done();
  }
}

/** Both write this in answer to whatever they take. */
const answered = 'ok';

const mount = mountOf('http://127.0.0.1:1/mcp');
const url = new URL(mount.server);
const mounted = { mount, url, origin: url.origin, targets: new Map() };

/** A gate without a key, for `Host: h` and `/m`. */
export const gate: Gate = {
  authorities: new Set(['h']),
  key: undefined,
  mounts: new Map([['m', mounted]]),
  sessions: new Sessions(),
};

export class Own implements RequestHandler {
  readonly now = 0;
  readonly ending = false;
  readonly taken: Taken[] = [];

  take(connection: ServerConnection, head: IncomingRequest, answer: ServerResponse): UnderWay | undefined {
    const admitted = admitAgain(head, gate) ?? admit(head, gate);
    if ('status' in admitted) {
      refuse(answer, { ...admitted, close: true }, 'r');
      return undefined;
    }
    let body = '';
    const end = (): void => {
      this.taken.push({ line: `${head.method} ${head.target}`, headers: head.lines, body });
      answer.head({ status: 200, headers: '', length: answered.length }, admitted.head.close);
      answer.data(Buffer.from(answered));
      answer.end();
    };
    const data = (piece: Buffer): boolean => {
      body += piece.toString('latin1');
      return true;
    };
    if (admitted.framing.kind === 'none') end();
    else connection.readBody(admitted.framing, { data, end });
    const broken = (): void => refuse(answer, refusal('bad_request', true), 'r');
    return { gone: () => undefined, drained: () => undefined, broken };
  }
}

async function feed(wire: Wire, pieces: readonly string[]): Promise<void> {
  wire.on('error', () => undefined);
  for (const piece of pieces) {
    if (!wire.destroyed) wire.push(Buffer.from(piece, 'latin1'));
    await turn();
  }
  await turn();
  await turn();
}

/** What our server takes these pieces for, behind its gate. */
export async function ours(pieces: readonly string[]): Promise<Made> {
  const server = new Own();
  const wire = new Wire({ allowHalfOpen: true });
  new ServerConnection(wire as unknown as Socket, server);
  await feed(wire, pieces);
  return { taken: server.taken, written: wire.written, closed: wire.writableEnded || wire.destroyed };
}

/** What Node.js' own server takes them for. */
export async function nodes(pieces: readonly string[]): Promise<Made> {
  const taken: Taken[] = [];
  const server = createServer({ maxHeaderSize: 16_384, insecureHTTPParser: false }, (request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      taken.push({ line: `${request.method} ${request.url}`, headers: request.rawHeaders, body });
      response.end(answered);
    });
  });
  server.on('clientError', () => undefined); // not destroyed: what it took before is still to be told
  const wire = new Wire({ allowHalfOpen: true });
  server.emit('connection', wire);
  await feed(wire, pieces);
  return { taken, written: wire.written, closed: wire.writableEnded || wire.destroyed };
}
