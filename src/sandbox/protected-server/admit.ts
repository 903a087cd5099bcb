import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { readBody } from '../wire/request.js';
import { rpcErrorResponse, type SentResponse } from '../wire/response.js';
import type { AdmittedRequest } from './mcp-endpoint.js';
import type { Caller } from './verify-token.js';

/** Bytes. */
const longestBody = 1024 * 1024;

const methods = ['GET', 'POST', 'DELETE'];

/** What stops at the gate: nothing behind it sees the caller's credentials. */
const withheld = new Set(['authorization', 'cookie', 'dpop', 'proxy-authorization']);

/** Turns what Node received into what the SDK takes, or says why it will not be taken. */
export async function admit(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  resource: string,
  caller: Caller,
): Promise<AdmittedRequest | SentResponse> {
  const { method = '' } = incoming;
  if (!methods.includes(method)) {
    return rpcErrorResponse(405, -32000, 'Method not allowed', [['allow', methods.join(', ')]]);
  }
  const request = webRequest(incoming, outgoing, resource, method);
  if (method !== 'POST') return { request, caller };
  if (!isJsonContentType(incoming.headers['content-type'] ?? null)) {
    return rpcErrorResponse(415, -32000, 'The body must be application/json');
  }
  const bytes = await readBody(incoming, longestBody);
  if (bytes === undefined) {
    outgoing.shouldKeepAlive = false;
    return rpcErrorResponse(413, -32000, `The body must not be longer than ${longestBody} bytes`);
  }
  try {
    return { request, caller, body: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return rpcErrorResponse(400, -32700, 'The body is not JSON');
  }
}

function webRequest(incoming: IncomingMessage, outgoing: ServerResponse, resource: string, method: string): Request {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    withheld.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  return new Request(resource, { method, headers, signal: gone.signal });
}
