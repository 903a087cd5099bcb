import type { Socket } from 'node:net';
import { startTcp, type TestServer } from './http-server.js';

export const MiB = 1024 * 1024;

/** An event with an answer that nobody asked for. */
export const stray = 'data: {"jsonrpc":"2.0","id":"z","result":{}}\n\n';

/** A JSON-RPC message as far as these servers look at it. */
export interface AskedFor {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly capabilities?: object;
    readonly name?: string;
    readonly cursor?: string;
  };
  /** Of an answer. */
  readonly result?: object;
}

/** An answer as its bytes on the connection, head and framing included, given no faster than they are read. */
export type RawAnswer = Iterable<Uint8Array | string>;

/** A server that answers with bytes, and counts what was taken of them. */
export interface HostileServer extends TestServer {
  readonly url: string;
  /** Bytes that were given to connections so far. */
  readonly written: number;
  /** Requests as they came: method of HTTP and of the message. */
  readonly asked: readonly string[];
}

/** `answer`: undefined for what most servers say. */
export async function hostileServer(
  answer: (asked: AskedFor, http: string) => RawAnswer | undefined,
): Promise<HostileServer> {
  const counts = { written: 0, asked: [] as string[] };
  const serve = async (socket: Socket): Promise<void> => {
    let text = '';
    for await (const piece of socket.setEncoding('latin1')) {
      text += piece;
      for (let whole = request(text); whole !== undefined; whole = request(text)) {
        text = text.slice(whole.used);
        counts.asked.push(`${whole.http} ${whole.asked.method ?? ''}`);
        for (const part of answer(whole.asked, whole.http) ?? usualAnswer(whole.asked, whole.http)) {
          if (socket.destroyed) return;
          counts.written += part.length;
          if (!socket.write(part, 'latin1')) await room(socket);
        }
      }
    }
  };
  const server = await startTcp((socket) => void serve(socket).catch(() => socket.destroy()));
  return {
    ...server,
    url: `${server.origin}/mcp`,
    asked: counts.asked,
    get written() {
      return counts.written;
    },
  };
}

/** A server that answers one method as the test says, and everything else as others do. */
export function answersTo(method: string, answer: (asked: AskedFor) => RawAnswer | undefined): Promise<HostileServer> {
  return hostileServer((asked) => (asked.method === method ? answer(asked) : undefined));
}

/** Resolves when the connection takes more, or is closed. */
function room(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.on('drain', go).on('close', go);
  });
}

function request(text: string): { used: number; http: string; asked: AskedFor } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end + 2))?.[1] ?? 0);
  if (text.length < end + 4 + length) return undefined;
  const body = text.slice(end + 4, end + 4 + length);
  const used = end + 4 + length;
  return { used, http: text.slice(0, text.indexOf(' ')), asked: body === '' ? {} : JSON.parse(body) };
}

function usualAnswer({ id, method, params }: AskedFor, http: string): RawAnswer {
  if (http !== 'POST') return ['HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n'];
  if (id === undefined || method === undefined) return ['HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'];
  const serverInfo = { name: 'hostile', version: '1' };
  const result =
    method === 'initialize' ? { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo } : { ok: true };
  return inOnePiece(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** A body of announced length. */
export function inOnePiece(body: Uint8Array | string): RawAnswer {
  return [`${json}Content-Length: ${body.length}\r\n\r\n`, body];
}

/** A body in chunks of one byte each. */
export function* inCrumbs(body: Uint8Array | string, head = json): RawAnswer {
  yield `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const bytes = Buffer.from(body as string, 'latin1');
  const each = 10_000;
  for (let at = 0; at < bytes.length; at += each) {
    const part = bytes.subarray(at, at + each);
    const crumbs = Buffer.from('1\r\n?\r\n'.repeat(part.length), 'latin1');
    for (let index = 0; index < part.length; index += 1) crumbs[index * 6 + 3] = part[index] ?? 0;
    yield crumbs;
  }
  yield '0\r\n\r\n';
}

export const eventStreamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';

/** An event stream that says the same `times` times, in chunks of `each` times, and then `last`. */
export function* eventStream(one: string, times: number, last = '', each = 1): RawAnswer {
  yield `${eventStreamHead}Transfer-Encoding: chunked\r\n\r\n`;
  const text = one.repeat(each);
  const chunk = Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1');
  for (let count = 0; count < times; count += each) yield chunk;
  if (last !== '') yield `${last.length.toString(16)}\r\n${last}\r\n`;
  yield '0\r\n\r\n';
}

/** The answer to `id` with a text that makes it `size` bytes long. */
export function answerOf(id: unknown, size: number): string {
  const bare = JSON.stringify({ jsonrpc: '2.0', id, result: { text: '' } });
  return bare.replace('""', `"${'x'.repeat(Math.max(0, size - bare.length))}"`);
}
