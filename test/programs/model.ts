import type { ServerResponse } from 'node:http';
import { startHttp, type TestServer } from '../support/http-server.js';
import { type Asked, modelForms, offeredNames, type WantedCall } from './model-forms.js';

/** Which tool to call of those that are offered, when so many have returned something; undefined: none of them. */
export type ChooseCall = (tools: readonly string[], returned: number) => Promise<WantedCall | undefined>;

/** A model's endpoint on this machine, in the forms that agents speak. */
export interface ModelServer extends TestServer {
  /** The names of the tools that it was offered, by request. */
  readonly offered: readonly (readonly string[])[];
  /** What tools have returned to it. */
  readonly returned: readonly string[];
}

/** A model that asks for one call after the other, and says `done` when a tool has returned something with `ended` in it, or too many. */
export async function startModel(choose: ChooseCall, ended: string): Promise<ModelServer> {
  const offered: (readonly string[])[] = [];
  const returned: string[] = [];
  const server = await startHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { pathname } = new URL(request.url ?? '/', 'http://model');
    const form = modelForms.find(({ path }) => pathname.endsWith(path));
    if (form === undefined || request.method !== 'POST') {
      sendJson(response, { object: 'list', data: [{ id: 'fake', object: 'model', owned_by: 'me' }] });
      return;
    }
    const asked: Asked = JSON.parse(Buffer.concat(parts).toString());
    const names = offeredNames(asked);
    offered.push(names);
    const results = form.results(asked).map((one) => JSON.stringify(one));
    returned.push(...results.filter((one) => !returned.includes(one)));
    const isDone = results.length > 25 || results.some((one) => one.includes(ended));
    const call = isDone ? undefined : await choose(names, results.length);
    if (asked.stream === true) sendEvents(response, form.events(call));
    else sendJson(response, form.whole(call));
  });
  return Object.assign(server, { offered, returned });
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly { readonly type?: unknown }[]): void {
  const named = events.map((event) => {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  const end = events[0]?.type === undefined ? 'data: [DONE]\n\n' : '';
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${named.join('')}${end}`);
}
