// The official SDK's client, version 1, as a host: node sdk-v1.mjs <command> [argument…], or the URL of a server.
// Prints what it saw as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { watchProgress } from './watch-progress.mjs';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'sdk-v1', version: '1' }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { sure: true } }));
const transport = command.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(command))
  : new StdioClientTransport({ command, args, env: process.env });
await client.connect(transport);
const came = watchProgress(transport);
const { tools } = await client.listTools();
const steps = [];
const echo = await client.callTool({ name: 'echo', arguments: { text: 'grüße', repeat: 2 } });
const down = await client.callTool({ name: 'countdown', arguments: { steps: 3, delayMs: 100 } }, undefined, {
  onprogress: ({ progress }) => steps.push(progress),
});
const confirm = await client.callTool({ name: 'confirm', arguments: { what: 'Sure?' } });
const { resources } = await client.listResources();
await client.close();
process.stdout.write(
  JSON.stringify({ tools: tools.map(({ name }) => name), echo, down, confirm, steps, came, resources: resources.length }),
);
