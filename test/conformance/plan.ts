/** One run of `postern`. */
export interface PlannedRun {
  readonly args: readonly string[];
  /** A file to write first, into the home that is the working folder. */
  readonly file?: { readonly name: string; readonly text: string };
  /** All of its stdin. */
  readonly input?: string;
  /** It is to end with exit code 3 and a command to type, which is typed then, as often as that is said. */
  readonly obey?: true;
}

/** What the suite hands to a client about the scenario (`MCP_CONFORMANCE_CONTEXT`). */
export interface ScenarioContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
}

/** The client identifier that the suite's authorization server knows as a metadata document. */
const metadataUrl = 'https://conformance-test.local/client-metadata.json';

/** The commands that a person would type for what a scenario wants to see. */
export function planFor(scenario: string, server: string, context: ScenarioContext): PlannedRun[] {
  switch (scenario) {
    case 'initialize':
      return [{ args: ['call', server, 'tools/list'] }];
    case 'tools_call':
      return [{ args: ['call', server, 'tools/list'] }, { args: ['call', server, 'add_numbers', 'a:=5', 'b:=3'] }];
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
      // The second call meets the other authorization server: a person is to agree to it first.
      const [login, list, call] = loginAndCall(server, []);
      return [login, list, call && { ...call, obey: true as const }, call].filter((run) => run !== undefined);
    }
    case 'auth/client-credentials-basic':
      return asClient(server, context, { args: ['--client-secret-stdin'], input: context.client_secret });
    case 'auth/client-credentials-jwt': {
      const file = { name: 'client.pem', text: context.private_key_pem ?? '' };
      return asClient(server, context, { args: ['--client-key-file', file.name], file });
    }
    default:
      return loginAndCall(server, ['--client-metadata-url', metadataUrl]);
  }
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
    { args: login, input, ...(file === undefined ? {} : { file }) },
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
    { args: ['login', server, '--no-browser', ...loginOptions], input },
    { args: ['call', server, 'tools/list', ...callOptions] },
    { args: ['call', server, 'test-tool', ...callOptions] },
  ];
}
