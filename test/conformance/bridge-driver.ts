import { join } from 'node:path';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import type { Rpc } from '../bridge/host.js';
import { type FakeBrowser, fakeBrowser } from '../support/fake-browser.js';
import { type Home, makeHome } from '../support/home.js';
import { programCommand, startCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { openUrl, runWithBrowser } from './driver-parts.js';
import { planFor, type ScenarioContext } from './plan.js';
import { type Ask, converse } from './requests.js';

/**
 * The client that the official suite starts when it is to look at `postern bridge`: a host as other programs are one,
 * which speaks to a bridge without a login: `newer` or `older`, as the first argument says. It stands where the
 * person's browser would, too. Exit code 1 when a request was answered with an error.
 */
async function drive(): Promise<number> {
  const [era = '', server = ''] = process.argv.slice(-2);
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const context: ScenarioContext = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  const bus = process.env['DBUS_SESSION_BUS_ADDRESS'];
  await using bare = await makeHome(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus });
  const browser = await fakeBrowser(bare);
  const [login] = planFor(scenario, server, context);
  const option = login?.args.indexOf('--client-metadata-url') ?? -1;
  const document = option === -1 ? undefined : login?.args[option + 1];
  const home: Home = {
    ...bare,
    env: {
      ...bare.env,
      BROWSER: browser.path,
      ...(document === undefined ? {} : { POSTERN_CLIENT_METADATA_URL: document }),
    },
  };
  // What only a person can say is said at a login; everything else the bridge finds out by itself.
  const isSaid = login?.args.some((word) => word === '--client-id' || word === '--legacy') === true;
  if (login !== undefined && isSaid) {
    const code = await runWithBrowser(home, login);
    if (code !== 0) return code;
  }
  void person(browser);
  await using host = era === 'newer' ? newerHost(home, server) : olderHost(home, server);
  let failed = 0;
  await converse(scenario, context, async (method, params) => {
    let outcome = await host.ask(method, params);
    for (let times = 0; times < 3 && (await obeyed(home, outcome)); times += 1)
      outcome = await host.ask(method, params);
    process.stdout.write(`${method} ${JSON.stringify(outcome)}\n`);
    if (outcome.error !== undefined && !isItsOwn(scenario, outcome)) failed += 1;
    return outcome;
  });
  const code = await host.end();
  return code === 0 && failed === 0 ? 0 : 1;
}

interface Host extends AsyncDisposable {
  readonly ask: Ask;
  /** Ends it. The exit code. */
  end(): Promise<number>;
}

const wait = ['--login-wait', '30'];

function newerHost(home: Home, server: string): Host {
  const script = join(repositoryRoot, 'test', 'conformance', 'newer-host.mjs');
  const host = startCommand(process.execPath, [script, ...programCommand(['bridge', server, ...wait])], home);
  let answered = 0;
  return {
    ask: async (method, params) => {
      host.stdin.write(`${JSON.stringify({ method, params })}\n`);
      const [, line = ''] = await host.waitForStdout(new RegExp(`^(?:[^\\n]*\\n){${answered}}([^\\n]*)\\n`));
      answered += 1;
      return JSON.parse(line);
    },
    end: async () => {
      host.stdin.end();
      const { code, stderr } = await host.finished;
      process.stdout.write(`${stderr}\nexit ${code}\n`);
      return code ?? 1;
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

function olderHost(home: Home, server: string): Host {
  const host = startBuiltBridge(home, server, ...wait);
  let nextId = 1;
  /** One request and its answer; what the server asks meanwhile is answered. */
  const ask: Ask = async (method, params) => {
    const id = nextId++;
    host.send({ id, method, params });
    for (;;) {
      const message = await host.next();
      if (message.method === undefined && message.id === id) return message;
      if (message.method === 'elicitation/create') {
        host.send({ id: message.id, result: { action: 'accept', content: defaultsOf(message) } });
      }
    }
  };
  const clientInfo = { name: 'host', version: '1.0.0' };
  const open = async () => {
    const said = await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo,
    });
    if (said.error === undefined) host.send({ method: 'notifications/initialized' });
    return said;
  };
  let opening: ReturnType<Ask> | undefined;
  return {
    ask: async (method, params) => {
      opening ??= open();
      const { error } = await opening;
      if (error === undefined) return await ask(method, params);
      opening = undefined;
      return { error };
    },
    end: async () => {
      host.program.stdin.end();
      const { code, stderr } = await host.program.finished;
      process.stdout.write(`${stderr}\nexit ${code}\n`);
      return code ?? 1;
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** Types what a response says that a person has to type, if it says that, and what that asks for in turn. */
async function obeyed(home: Home, { error }: Pick<Rpc, 'error'>): Promise<boolean> {
  const [, words] = /postern (login .+)$/.exec(String(error?.data?.['remedy'] ?? '')) ?? [];
  if (words === undefined) return false;
  return (await runWithBrowser(home, { args: [...words.split(' '), '--no-browser'], obey: true })) === 0;
}

/** The newer host refuses a result without its type, which the suite sends to see that a client takes it. */
function isItsOwn(scenario: string, { error }: Pick<Rpc, 'error'>): boolean {
  return scenario === 'sep-2322-client-request-state' && error?.data?.['violation'] === 'missing-resultType';
}

function defaultsOf({ params }: Rpc): object {
  const schema = params?.['requestedSchema'] as { properties?: Record<string, { default?: unknown }> };
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, property.default ?? true]),
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
