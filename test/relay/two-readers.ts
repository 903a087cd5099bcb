import { request as nodeRequest } from 'node:http';
import { Duplex } from 'node:stream';
import { ResponseReader, type ResponseSink } from '../../src/relay/response-reader.js';

/** One answer, as a reader has it. */
export interface Read {
  readonly status: number;
  readonly lines: readonly string[];
  readonly body: string;
}

/** What our reader makes of these pieces and the close after them; undefined where it is no whole answer. */
export function ours(method: string, pieces: readonly Buffer[]): (Read & { readonly idleMs: number }) | undefined {
  let head = { status: 0, lines: [] as readonly string[] };
  let body = '';
  let found: (Read & { readonly idleMs: number }) | undefined;
  const sink: ResponseSink = {
    responseHead: (one) => {
      head = one;
    },
    responseData: (chunk) => {
      body += Buffer.from(chunk).toString('latin1');
    },
    responseOver: (idleMs) => {
      found = { status: head.status, lines: head.lines, body, idleMs };
    },
    responseBroken: () => undefined,
  };
  const reader = new ResponseReader(sink, () => undefined);
  reader.begin(method);
  for (const piece of pieces) reader.push(Buffer.from(piece)); // a copy: what is pushed is written to
  reader.close();
  return found;
}

/** What Node's own client makes of them. */
export function nodes(method: string, bytes: Buffer): Promise<Read | undefined> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => {
        done();
        if (socket.readableEnded) return;
        socket.push(bytes);
        socket.push(null);
      },
    });
    const request = nodeRequest({ method, createConnection: () => socket, headers: { connection: 'keep-alive' } });
    request.on('error', () => resolve(undefined));
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        const { statusCode: status = 0, rawHeaders: lines, complete } = response;
        resolve(complete ? { status, lines, body } : undefined);
      });
    });
    request.end();
  });
}
