import type { Rpc } from '../bridge/host.js';
import type { ScenarioContext } from './plan.js';

/** Sends a request of the host and resolves to its response. */
export type Ask = (method: string, params: object) => Promise<Pick<Rpc, 'result' | 'error'>>;

interface Tool {
  readonly name: string;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** What a host asks for, so that the suite sees what the scenario is about. */
export async function converse(scenario: string, context: ScenarioContext, ask: Ask): Promise<void> {
  const call = (name: string, args: object = {}) => ask('tools/call', { name, arguments: args });
  switch (scenario) {
    case 'elicitation-sep1034-client-defaults':
      return void (await call('test_client_elicitation_defaults'));
    case 'sse-retry':
      return void (await call('test_reconnection'));
    default:
      return await withTools(scenario, context, ask, await listTools(ask));
  }
}

async function listTools(ask: Ask): Promise<readonly Tool[]> {
  const { result } = await ask('tools/list', {});
  return (result?.['tools'] ?? []) as readonly Tool[];
}

async function withTools(scenario: string, context: ScenarioContext, ask: Ask, tools: readonly Tool[]): Promise<void> {
  for (const [name, args] of callsOf(scenario, context, tools)) await ask('tools/call', { name, arguments: args });
  if (scenario !== 'http-standard-headers') return;
  for (const [method, params] of otherRequests) await ask(method, params);
}

/** The tools to call, and with what. */
export function callsOf(
  scenario: string,
  context: ScenarioContext,
  tools: readonly Tool[],
): readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] {
  switch (scenario) {
    case 'initialize':
    case 'request-metadata':
    case 'json-schema-ref-no-deref':
      return [];
    case 'tools_call':
      return [['add_numbers', { a: 5, b: 3 }]];
    case 'http-standard-headers':
      return [
        ['test_headers', {}],
        ['my-hyphenated-tool', {}],
      ];
    case 'http-custom-headers':
      return (context.toolCalls ?? []).map((one) => [one.name, one.arguments]);
    case 'http-invalid-tool-headers':
      return tools.map(({ name, inputSchema }) => [name, textFor(inputSchema?.properties ?? {})]);
    case 'sep-2322-client-request-state':
      return ['echo_state', 'unrelated', 'no_state', 'no_result_type'].map((what) => [`test_mrtr_${what}`, {}]);
    case 'json-schema-2020-12-preservation': {
      const focal = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
      return [['json_schema_echo', { schema: focal?.inputSchema }]];
    }
    default:
      return [['test-tool', {}]];
  }
}

function textFor(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, 'eu']));
}

/** What `http-standard-headers` wants to see besides tools. */
export const otherRequests: readonly (readonly [method: string, params: Readonly<Record<string, string>>])[] = [
  ['resources/list', {}],
  ['resources/read', { uri: 'file:///path/to/file%20name.txt' }],
  ['resources/read', { uri: 'https://example.com/resource?id=123' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'test_prompt' }],
];
