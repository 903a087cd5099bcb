import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, type Fault, type JsonObject, jsonOf, withJson } from './fault.js';

/** A response as it was meant: what it brings, and its HTTP status. */
interface Meant {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

type Change = (result: JsonObject, message: JsonObject, exchange: Exchange) => Meant;

/** What a server can do wrong in the revisions from 2026-07-28 on, with requests that name theirs. */
export function newerEraFaults(): readonly Fault[] {
  let mismatches = 0;
  return [
    fault('newer-echoes-discover', 'server/discover is answered with an empty result', 'server/discover', () => ok({})),
    fault('newer-no-common-revision', 'it knows one revision, which nobody speaks', undefined, () =>
      refuses(400, -32022, 'Unsupported protocol version', { supported: ['2031-01-01'], requested: 'yours' }),
    ),
    fault('newer-refuses-its-own', 'it refuses the very revision that it names', 'tools/call', () =>
      refuses(400, -32022, 'Unsupported protocol version', { supported: ['2026-07-28'], requested: '2026-07-28' }),
    ),
    fault('newer-odd-result-type', 'a result of a type that does not exist', 'tools/call', (result) =>
      ok({ ...result, resultType: 'maybe' }),
    ),
    fault('newer-no-result-type', 'results do not say their type', 'tools/call', ({ resultType: _, ...rest }) =>
      ok(rest),
    ),
    fault('newer-asks-forever', 'it asks to be asked again, for ever', 'tools/call', () =>
      asks({ requestState: 'again' }),
    ),
    fault('newer-asks-nothing', 'it wants input, and says not which', 'tools/call', () => asks({})),
    fault('newer-asks-unoffered', 'it asks for what the client does not offer', 'tools/call', () =>
      asks({ inputRequests: { a: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } } }),
    ),
    fault('newer-asks-for-list', 'it wants input for a list of tools', 'tools/list', () => asks({ requestState: 'x' })),
    fault(
      'newer-broken-marks',
      'one tool of the list has marks for headers that break the rules',
      'tools/list',
      marked,
    ),
    fault('newer-header-mismatch-once', 'it misses a header at the first call of a tool', 'tools/call', (result) => {
      mismatches += 1;
      return mismatches === 1 ? refuses(400, -32020, 'Header mismatch') : ok(result);
    }),
    fault('newer-header-mismatch-always', 'it misses a header at every call of a tool', 'tools/call', () =>
      refuses(400, -32020, 'Header mismatch'),
    ),
    fault('newer-method-missing', '404 and “method not found” for every call of a tool', 'tools/call', () =>
      refuses(404, -32601, 'Method not found'),
    ),
    fault('newer-capability-missing', 'it wants a capability that no client has', 'tools/call', () =>
      refuses(400, -32021, 'Missing client capability', { requiredCapabilities: { made: { up: {} } } }),
    ),
    acknowledgesLess(),
  ];
}

const ok = (result: unknown): Meant => ({ status: 200, result });

const asks = (what: object): Meant => ok({ resultType: 'input_required', ...what });

const refuses = (status: number, code: number, message: string, data?: object): Meant => ({
  status,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

function marked(result: JsonObject): Meant {
  const tools = result['tools'] as readonly JsonObject[];
  const property = { type: 'string', 'x-mcp-header': 'Not a token' };
  const broken = { name: 'broken', inputSchema: { type: 'object', properties: { text: property } } };
  return ok({ ...result, tools: [...tools, broken] });
}

/** @param method Of the requests whose response is spoilt; undefined: all that name their revision. */
function fault(name: string, what: string, method: string | undefined, change: Change): Fault {
  return {
    name,
    rows: [],
    what,
    rewrite: (exchange, response) => {
      if (!isOf(exchange, method) || !(response.body instanceof Uint8Array)) return response;
      const message = jsonOf(response);
      if (message['result'] === undefined) return response;
      const { status, ...meant } = change(message['result'] as JsonObject, message, exchange);
      return withJson({ ...response, status }, { jsonrpc: '2.0', id: message['id'], ...meant });
    },
  };
}

function acknowledgesLess(): Fault {
  return {
    name: 'newer-acknowledges-less',
    rows: [],
    what: 'a subscription is acknowledged, and follows nothing of what was asked for',
    instead: (exchange) =>
      isOf(exchange, 'subscriptions/listen')
        ? { status: 200, headers: [['content-type', 'text/event-stream']], body: emptySubscription() }
        : undefined,
  };
}

/** Acknowledged, and silent for an hour. */
async function* emptySubscription(): AsyncGenerator<Uint8Array> {
  const acknowledged = 'notifications/subscriptions/acknowledged';
  const message = { jsonrpc: '2.0', method: acknowledged, params: { notifications: {} } };
  yield Buffer.from(`data: ${JSON.stringify(message)}\n\n`);
  for (let count = 0; count < 3_600; count += 1) {
    yield Buffer.from(': nothing\n\n');
    await sleep(1_000, undefined, { ref: false });
  }
}

function isOf({ point, authorized, newerMethod }: Exchange, method: string | undefined): boolean {
  return point === 'protected' && authorized && newerMethod !== undefined && (method ?? newerMethod) === newerMethod;
}
