// The official SDK's client, version 2, as a host: node sdk-v2.mjs <revision> <command> [argument…], or the URL of
// a server. The revision is
// `legacy` for the wire that begins with `initialize`, `auto` for what both sides have. Prints what it saw as JSON.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { watchProgress } from './watch-progress.mjs';

const [mode, command, ...args] = process.argv.slice(2);
const client = new Client(
  { name: 'sdk-v2', version: '1' },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { sure: true } }));
const transport = command.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(command))
  : new StdioClientTransport({ command, args, env: process.env });
await client.connect(transport);
const came = watchProgress(transport);
const { tools } = await client.listTools();
const steps = [];
const echo = await client.callTool({ name: 'echo', arguments: { text: 'grüße', repeat: 2 } });
const down = await client.callTool(
  { name: 'countdown', arguments: { steps: 3, delayMs: 100 } },
  { onprogress: ({ progress }) => steps.push(progress) },
);
const confirm = await client.callTool({ name: 'confirm', arguments: { what: 'Sure?' } });
const { resources } = await client.listResources();
const revision = client.getNegotiatedProtocolVersion?.();
await client.close();
process.stdout.write(
  JSON.stringify({
    tools: tools.map(({ name }) => name),
    echo,
    down,
    confirm,
    steps,
    came,
    resources: resources.length,
    revision,
  }),
);
