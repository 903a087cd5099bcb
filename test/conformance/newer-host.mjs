// A host of the newer era: the official SDK's client over stdio. node newer-host.mjs <command> [argument…]
// It sends what each line of its stdin says, {"method", "params"}, and writes the response: {"result"} or {"error"}.
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client(
  { name: 'newer-host', version: '1' },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
);
client.setRequestHandler('elicitation/create', ({ params }) => {
  const properties = Object.entries(params.requestedSchema?.properties ?? {});
  return { action: 'accept', content: Object.fromEntries(properties.map(([name, schema]) => [name, schema.default ?? true])) };
});
const transport = new StdioClientTransport({ command, args, env: process.env });
const opening = client.connect(transport).then(
  () => undefined,
  (error) => error,
);
for await (const line of createInterface({ input: process.stdin })) {
  const failed = await opening;
  const outcome = failed === undefined ? await ask(JSON.parse(line)) : told(failed);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
await client.close();

async function ask(request) {
  try {
    return { result: await client.request(request, { timeout: 60_000 }) };
  } catch (error) {
    return told(error);
  }
}

function told({ code, message, data }) {
  return { error: { code: typeof code === 'number' ? code : 0, message: `${message} (${String(code)})`, data } };
}
