import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { parse } from 'jsonc-parser';
import { needs } from '../support/needs.js';
import { type ChooseCall, type ModelServer, startModel } from './model.js';
import { type installed, isMissing, type Stage, stage, token } from './stage.js';

// Agents as they really are, with a model of ours: it asks them to call the server's tool, by the entry that setup wrote.

type Host = keyof typeof installed;

interface Agent {
  readonly name: Host;
  /** Where its own configuration is, and what it holds before. */
  readonly file: string;
  readonly before: string;
  /** How it is told which model to ask. */
  readonly modelFiles?: (model: string) => Readonly<Record<string, string>>;
  readonly env?: (model: string) => Readonly<Record<string, string>>;
  readonly prepare?: (model: string) => readonly string[];
  readonly args: readonly string[];
  /** It hides the session bus from what it starts. */
  readonly userBus?: true;
  /** What it prints of the call. */
  readonly says: RegExp;
}

const prompt = 'Call the tool echo.';
const provider = (model: string) => ({
  fake: {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${model}/v1`, apiKey: 'x' },
    models: { fake: { name: 'fake' } },
  },
});

const agents: readonly Agent[] = [
  {
    name: 'claude',
    file: '.claude.json',
    before: '{\n  "numStartups": 2\n}\n',
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_MODEL: 'fake',
      ENABLE_TOOL_SEARCH: 'false',
    }),
    args: ['-p', prompt, '--allowedTools', 'mcp__work__echo', '--output-format', 'stream-json', '--verbose'],
    says: /mcp__work__echo[\s\S]*echoed/,
  },
  {
    name: 'codex',
    file: '.codex/config.toml',
    before:
      'model = "fake" # mine\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "MODEL/v1"\n',
    userBus: true,
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json', prompt],
    says: /"server":"work","tool":"echo"[\s\S]*echoed/,
  },
  {
    name: 'copilot',
    file: '.copilot/mcp-config.json',
    before: '{\n  "mcpServers": {}\n}\n',
    env: (model) => ({ COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: 'fake', COPILOT_OFFLINE: 'true' }),
    args: ['-p', prompt, '--allow-all-tools'],
    says: /echo \(MCP: work\)[^\n]*\n[^\n]*echoed \{"text":"hi"\}/,
  },
  {
    name: 'cline',
    file: '.cline/data/settings/cline_mcp_settings.json',
    before: '{\n  "mcpServers": {}\n}\n',
    prepare: (model) => ['auth', '-p', 'openai-compatible', '-k', 'x', '-m', 'fake', '-b', `${model}/v1`],
    args: ['--json', prompt],
    says: /work__echo[\s\S]*echoed/,
  },
  {
    name: 'qwen',
    file: '.qwen/settings.json',
    before: '{\n  "ui": { "theme": "Default" } // mine\n}\n',
    env: (model) => ({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'fake' }),
    args: ['--auth-type', 'openai', '--approval-mode', 'yolo', '--output-format', 'json', '-p', prompt],
    says: /"mcp_servers":\[\{"name":"work","status":"connected"\}\][\s\S]*echoed/,
  },
  {
    name: 'droid',
    file: '.factory/mcp.json',
    before: '{\n  "mcpServers": {}\n}',
    modelFiles: (model) => ({
      '.factory/settings.json': JSON.stringify({
        customModels: [
          {
            ...{ model: 'fake', id: 'custom:fake', displayName: 'Fake', baseUrl: `${model}/v1`, apiKey: 'x' },
            ...{ provider: 'generic-chat-completion-api', maxOutputTokens: 1000 },
          },
        ],
      }),
    }),
    args: ['exec', '-m', 'custom:fake', '--auto', 'high', '--output-format', 'stream-json', prompt],
    says: /"toolName":"work___echo"[\s\S]*"isError":false,"value":"echoed/,
  },
  {
    name: 'grok',
    file: '.grok/config.toml',
    before:
      '# mine\n[models]\ndefault = "fake"\n\n[model.fake]\nmodel = "fake"\nbase_url = "MODEL/v1"\napi_key = "x"\n',
    args: ['-m', 'fake', '--always-approve', '--output-format', 'streaming-messages-json', '-p', prompt],
    says: /echoed/,
  },
  {
    name: 'opencode',
    file: '.config/opencode/opencode.json',
    before: '{ "provider": PROVIDER }\n',
    args: ['run', '-m', 'fake/fake', prompt],
    says: /work_echo/,
  },
  {
    name: 'kilo',
    file: '.config/kilo/kilo.jsonc',
    before: '// mine\n{ "provider": PROVIDER }\n',
    args: ['run', '-m', 'fake/fake', '--auto', prompt],
    says: /work_echo/,
  },
  {
    name: 'kimi',
    file: '.kimi-code/mcp.json',
    before: '{\n  "mcpServers": {}\n}\n',
    modelFiles: (model) => ({
      '.kimi-code/config.toml': `default_model = "fake"\n[providers.fake]\ntype = "openai"\nbase_url = "${model}/v1"\napi_key = "x"\n[models.fake]\nprovider = "fake"\nmodel = "fake"\nmax_context_size = 100000\n`,
    }),
    args: ['--output-format', 'stream-json', '-p', prompt],
    says: /mcp__work__echo[\s\S]*echoed/,
  },
];

/**
 * The call, as each of them has it made: some offer a tool by its name, some behind a search. They go on connecting while
 * the model is asked already.
 */
function chooser(world: Stage): ChooseCall {
  const isListed = () => world.server.seen.some(({ message }) => message.method === 'tools/list');
  return async (tools, returned) => {
    for (let tries = 0; tries < 300 && !isListed(); tries += 1) await later(50);
    const input = { text: 'hi' };
    const name = tools.find((one) => one.endsWith('echo'));
    if (name !== undefined) return { name, input };
    if (tools.includes('use_tool')) return { name: 'use_tool', input: { tool_name: 'work__echo', tool_input: input } };
    if (tools.includes('tool_call') && returned > 0) {
      return { name: 'tool_call', input: { name: 'mcp__work__echo', arguments: input } };
    }
    const search = tools.find((one) => /^tool_?search$/i.test(one));
    return search !== undefined && returned < 20 ? { name: search, input: { query: 'echo' } } : undefined;
  };
}

function filled({ before }: Agent, { origin }: ModelServer): string {
  return before.replace('MODEL', origin).replace('PROVIDER', JSON.stringify(provider(origin)));
}

function write(world: Stage, path: string, text: string): void {
  mkdirSync(dirname(join(world.home.path, path)), { recursive: true });
  writeFileSync(join(world.home.path, path), text);
}

async function runAgent(world: Stage, model: ModelServer, agent: Agent) {
  const { name, modelFiles, prepare } = agent;
  const env = agent.env?.(model.origin) ?? {};
  for (const [path, text] of Object.entries(modelFiles?.(model.origin) ?? {})) write(world, path, text);
  if (prepare !== undefined) await world.run(name, prepare(model.origin), { env });
  return await world.run(name, agent.args, { env, userBus: agent.userBus === true });
}

for (const agent of agents) {
  const { name, file } = agent;
  test(`${name} calls a tool, by the entry that setup wrote`, {
    skip: isMissing(name) || (agent.userBus === true && needs('root')),
  }, async () => {
    await using world = await stage();
    await using model = await startModel(chooser(world), 'echoed');
    const before = filled(agent, model);
    write(world, file, before);
    const text = () => readFileSync(join(world.home.path, file), 'utf8');
    assert.equal((await world.setup(name, 'work', '--write')).code, 0);
    const entered = text();
    const ran = await runAgent(world, model, agent);
    const said = ran.stdout + ran.stderr;
    assert.match(model.returned.join('\n'), /echoed \{\\+"text\\+":\\+"hi\\+"\}/, said);
    assert.match(said, agent.says);
    assert.ok(world.server.seen.some(({ message }) => message.method === 'tools/call'));
    assert.deepEqual(world.authorizations(), [`Bearer ${token}`]);
    assert.ok(!text().includes(token));
    // Of a keychain on a bus that the program hides, --check says so.
    const checked = await world.setup(name, 'work', '--check');
    const served = /would (?:be connected to the server scripted|get a token)/;
    assert.match(checked.stdout, agent.userBus === true ? /without this shell’s session bus/ : served);
    // Most of them write something of their own into the file meanwhile, or lay it out anew.
    const isAsWritten = text() === entered;
    assert.equal((await world.setup(name, '--undo')).code, 0);
    if (isAsWritten) assert.equal(text(), before);
    assert.ok(!text().includes('postern'), text());
  });
}

/** JSON with what another JSON has, objects as deep as they go. */
function withEntry(before: string, entry: string): string {
  const merged = (one: object, other: object): object => {
    const both = Object.entries(other).map(([name, value]) => {
      const there = (one as Record<string, unknown>)[name];
      return [name, typeof there === 'object' && there !== null ? merged(there, value) : value];
    });
    return { ...one, ...Object.fromEntries(both) };
  };
  return JSON.stringify(merged(parse(before), JSON.parse(entry)));
}

const byUrl = agents.filter(({ userBus }) => userBus !== true);
for (const agent of byUrl) {
  const { name, file } = agent;
  test(`${name} calls a tool at the address of a proxy, by the entry that setup printed`, {
    skip: isMissing(name),
  }, async () => {
    await using world = await stage();
    await using model = await startModel(chooser(world), 'echoed');
    await using proxy = await world.startProxy();
    const before = filled(agent, model);
    write(world, file, before);
    const entry = await proxy.entry(name);
    write(world, file, file.endsWith('.toml') ? `${before}\n${entry}` : withEntry(before, entry));
    const ran = await runAgent(world, model, agent);
    assert.match(model.returned.join('\n'), /echoed \{\\+"text\\+":\\+"hi\\+"\}/, ran.stdout + ran.stderr);
    assert.deepEqual(world.authorizations(), [`Bearer ${token}`]);
  });
}

test('Amp, which needs an account for more, lists the entry that setup wrote', { skip: isMissing('amp') }, async () => {
  await using world = await stage();
  assert.equal((await world.setup('amp', 'work', '--write')).code, 0);
  const listed = await world.run('amp', ['mcp', 'list']);
  assert.match(listed.stdout + listed.stderr, /work\s+command\s+\S+ \S+postern\.js bridge http:\/\/127/);
});

test('Gemini CLI connects in a folder that it was told to trust, and in no other, which setup has said', {
  skip: isMissing('gemini'),
}, async () => {
  await using world = await stage();
  const written = await world.setup('gemini', 'work', '--write');
  assert.match(written.stderr, /not told to trust/);
  const untrusted = await world.run('gemini', ['mcp', 'list']);
  assert.match(untrusted.stdout + untrusted.stderr, /work: [^\n]+Disabled/);
  write(world, '.gemini/trustedFolders.json', JSON.stringify({ [world.home.path]: 'TRUST_FOLDER' }));
  const trusted = await world.run('gemini', ['mcp', 'list']);
  assert.match(trusted.stdout + trusted.stderr, /work: [^\n]+ - Connected/);
  assert.doesNotMatch((await world.setup('gemini', 'work')).stderr, /not told to trust/);
});
