import { callsOf, otherRequests } from './requests.js';

/** One run of `postern`. */
export interface PlannedRun {
  readonly args: readonly string[];
  /** A file to write first, into the home that is the working folder. */
  readonly file?: { readonly name: string; readonly text: string };
  /** All of its stdin. */
  readonly input?: string;
  /** It may end with exit code 2 or 3 and a command to type, which is typed then, as often as that is said. */
  readonly obey?: true;
  /** What is typed after it, by what it has printed. */
  readonly next?: (stdout: string) => readonly PlannedRun[];
}

/** What the suite hands to a client about the scenario (`MCP_CONFORMANCE_CONTEXT`). */
export interface ScenarioContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly valid_jwt?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** The client identifier that the suite's authorization server knows as a metadata document. */
const metadataUrl = 'https://conformance-test.local/client-metadata.json';

/** The commands that a person would type for what a scenario wants to see. */
export function planFor(scenario: string, server: string, context: ScenarioContext): PlannedRun[] {
  switch (scenario) {
    case 'initialize':
    case 'request-metadata':
    case 'json-schema-ref-no-deref':
      return [{ args: ['call', server, 'tools/list'] }];
    case 'tools_call':
    case 'http-standard-headers':
    case 'http-custom-headers':
    case 'http-invalid-tool-headers':
    case 'json-schema-2020-12-preservation':
      return listAndCall(scenario, server, context);
    case 'sep-2322-client-request-state':
      return listAndCall(scenario, server, context, ['--elicitation', 'defaults']);
    case 'auth/2025-03-26-oauth-metadata-backcompat':
    case 'auth/2025-03-26-oauth-endpoint-fallback':
      return loginAndCall(server, ['--legacy']);
    case 'elicitation-sep1034-client-defaults':
      return [
        {
          args: [
            ...['call', server, 'test_client_elicitation_defaults'],
            ...['--elicitation', 'defaults', '--timeout', '10'],
          ],
        },
      ];
    case 'sse-retry':
      return [{ args: ['call', server, 'test_reconnection'] }];
    case 'auth/scope-step-up':
    case 'auth/scope-retry-limit':
      return loginAndCall(server, [], '', ['--login', '--no-browser']);
    case 'auth/pre-registration':
      return loginAndCall(
        server,
        ['--client-id', context.client_id ?? '', '--client-secret-stdin'],
        context.client_secret,
      );
    case 'auth/authorization-server-migration': {
      // After its first request the server names another authorization server: a person is to agree to it first.
      const [login, ...calls] = loginAndCall(server, []);
      const obeyed = calls.flatMap((call) => [{ ...call, obey: true as const }, call]);
      return [login, ...obeyed].filter((run) => run !== undefined);
    }
    case 'auth/client-credentials-basic':
      return asClient(server, context, { args: ['--client-secret-stdin'], input: context.client_secret });
    case 'auth/client-credentials-jwt': {
      const file = { name: 'client.pem', text: context.private_key_pem ?? '' };
      return asClient(server, context, { args: ['--client-key-file', file.name], file });
    }
    case 'auth/wif-jwt-bearer': {
      const file = { name: 'workload.jwt', text: `${context.valid_jwt}\n` };
      return asClient(server, context, { args: ['--assertion-file', file.name], file });
    }
    case 'auth/enterprise-managed-authorization':
      return byCompany(server, context);
    default:
      return loginAndCall(server, ['--client-metadata-url', metadataUrl]);
  }
}

/** Lists the tools, and calls them by what is listed. */
function listAndCall(
  scenario: string,
  server: string,
  context: ScenarioContext,
  options: readonly string[] = [],
): PlannedRun[] {
  const next = (stdout: string): PlannedRun[] => {
    const calls = callsOf(scenario, context, JSON.parse(stdout).tools ?? []).map(([tool, args]) => [
      tool,
      ...Object.entries(args).map(([name, value]) => `${name}:=${JSON.stringify(value)}`),
    ]);
    const others = otherRequests.map(([method, params]) => [method, ...Object.values(params)]);
    const lines = scenario === 'http-standard-headers' ? [...calls, ...others] : calls;
    return lines.map((words) => ({ args: ['call', server, ...words, ...options] }));
  };
  return [{ args: ['call', server, 'tools/list', '--json'], next }];
}

/** Logs in as the client itself, with what proves who it is. */
function asClient(
  server: string,
  context: ScenarioContext,
  proof: { readonly args: readonly string[]; readonly input?: string | undefined; readonly file?: PlannedRun['file'] },
): PlannedRun[] {
  const { args, input = '', file } = proof;
  const login = ['login', server, '--client-credentials', '--client-id', context.client_id ?? '', ...args];
  return [
    // Which authorization server the secret is for, a person says once they have read its address.
    { args: login, input, obey: true, ...(file === undefined ? {} : { file }) },
    { args: ['call', server, 'tools/list'] },
    { args: ['call', server, 'test-tool'] },
  ];
}

/** Logs in by the company's provider, whose ID token the suite hands over. */
function byCompany(server: string, context: ScenarioContext): PlannedRun[] {
  const file = { name: 'id-token.jwt', text: `${context.idp_id_token}\n` };
  const provider = ['--idp', context.idp_issuer ?? '', '--idp-client-id', context.idp_client_id ?? ''];
  const client = ['--client-id', context.client_id ?? '', '--client-secret-stdin'];
  return [
    {
      args: ['login', server, ...provider, '--idp-token-file', file.name, ...client],
      input: context.client_secret ?? '',
      obey: true,
      file,
    },
    { args: ['call', server, 'tools/list'] },
    { args: ['call', server, 'test-tool'] },
  ];
}

function loginAndCall(
  server: string,
  loginOptions: readonly string[],
  input = '',
  callOptions: readonly string[] = [],
): PlannedRun[] {
  return [
    { args: ['login', server, '--no-browser', ...loginOptions], input, obey: true },
    { args: ['call', server, 'tools/list', ...callOptions] },
    { args: ['call', server, 'test-tool', ...callOptions] },
  ];
}
