import { Client } from 'undici';
import type { Calls } from './bridge-client.js';

/** Calls without any bridge: raw undici, a connection for each of those in flight. */
export async function direct(url: string): Promise<Calls> {
  const { origin, pathname } = new URL(url);
  const idle: Client[] = [];
  let notifications = 0;
  let id = 0;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = async (method: string, params: object): Promise<void> => {
    const client = idle.pop() ?? new Client(origin);
    const body = JSON.stringify({ jsonrpc: '2.0', id: id++, method, params });
    const answer = await client.request({ path: pathname, method: 'POST', headers, body });
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
    const text = await answer.body.text();
    if (isStream) notifications += text.split('notifications/message').length - 1;
    idle.push(client);
  };
  const start = performance.now();
  await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
  return {
    firstMs: performance.now() - start,
    call: (args) => post('tools/call', { name: 'echo', arguments: args }),
    get notifications() {
      return notifications;
    },
    usage: () => undefined,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(idle.map((client) => client.destroy()));
    },
  };
}
