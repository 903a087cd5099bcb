import { type BridgeHost, type Rpc, startBridge } from '../bridge/host.js';
import { type FakeBrowser, fakeBrowser } from '../support/fake-browser.js';
import { type Home, makeHome } from '../support/home.js';
import { obey, openUrl, runWithBrowser } from './driver-parts.js';
import { planFor } from './plan.js';

/**
 * The client that the official suite starts when it is to look at `postern bridge`: a host as other programs are one,
 * which speaks line by line to a bridge without a login. It stands where the person's browser would, too. Exit code 1
 * when a request was answered with an error.
 */
async function drive(): Promise<number> {
  const server = process.argv.at(-1) ?? '';
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const bus = process.env['DBUS_SESSION_BUS_ADDRESS'];
  await using bare = await makeHome(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus });
  const browser = await fakeBrowser(bare);
  const plan = planFor(scenario, server, context);
  const option = plan[0]?.args.indexOf('--client-metadata-url') ?? -1;
  const document = option === -1 ? undefined : plan[0]?.args[option + 1];
  const home: Home = {
    ...bare,
    env: {
      ...bare.env,
      BROWSER: browser.path,
      ...(document === undefined ? {} : { POSTERN_CLIENT_METADATA_URL: document }),
    },
  };
  // A client that was registered by hand is named at a login; everything else the bridge finds out by itself.
  const isNamed = plan[0]?.args.includes('--client-id') === true;
  if (isNamed && plan[0] !== undefined) {
    const code = await runWithBrowser(home, plan[0]);
    if (code !== 0) return code;
  }
  await using host = startBridge(home, server, '--login-wait', '30');
  void person(browser);
  const answers = [await initialize(host)];
  host.send({ method: 'notifications/initialized' });
  for (const [method, params] of requestsOf(scenario)) {
    let answer = await ask(host, method, params);
    // The authorization server has changed: a person types what the answer says, and the host asks again.
    if (scenario === migration && answer.error?.code === -31011) {
      const code = await obey(home, 3, `${String(answer.error.data?.['remedy']).replace(/.*(postern login)/, '$1')}\n`);
      process.stdout.write(`${JSON.stringify(answer)}\nobeyed: exit ${code}\n`);
      answer = await ask(host, method, params);
    }
    answers.push(answer);
  }
  host.program.stdin.end();
  const { code, stderr } = await host.program.finished;
  process.stdout.write(`${JSON.stringify(answers)}\n${stderr}\nexit ${code}\n`);
  return code !== 0 || answers.some(({ error }) => error !== undefined) ? 1 : 0;
}

const migration = 'auth/authorization-server-migration';

function requestsOf(scenario: string): readonly (readonly [string, object])[] {
  const list = ['tools/list', {}] as const;
  const call = (name: string, args: object = {}) => ['tools/call', { name, arguments: args }] as const;
  switch (scenario) {
    case 'initialize':
      return [list];
    case 'tools_call':
      return [list, call('add_numbers', { a: 5, b: 3 })];
    case 'elicitation-sep1034-client-defaults':
      return [call('test_client_elicitation_defaults')];
    case 'sse-retry':
      return [call('test_reconnection')];
    default:
      return [list, call('test-tool')];
  }
}

function initialize(host: BridgeHost): Promise<Rpc> {
  const clientInfo = { name: 'host', version: '1.0.0' };
  return ask(host, 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo });
}

let nextId = 1;

/** One request and its answer; what the server asks meanwhile is answered. */
async function ask(host: BridgeHost, method: string, params: object): Promise<Rpc> {
  const id = nextId++;
  host.send({ id, method, params });
  for (;;) {
    const message = await host.next();
    if (message.method === undefined && message.id === id) return message;
    if (message.method === 'elicitation/create') {
      host.send({ id: message.id, result: { action: 'accept', content: defaultsOf(message) } });
    }
  }
}

function defaultsOf({ params }: Rpc): object {
  const schema = params?.['requestedSchema'] as { properties?: Record<string, { default?: unknown }> };
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, property.default]),
  );
}

/** Follows whatever is opened in the browser, until the program ends. */
async function person(browser: FakeBrowser): Promise<void> {
  for (;;) {
    const url = await browser.opened();
    await browser.forget();
    process.stdout.write(`${await openUrl(url)}\n`);
  }
}

process.exit(await drive());
