import { setTimeout as wait } from 'node:timers/promises';
import {
  type CallToolResult,
  inputRequired,
  type McpServer,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type TaskStore, type TaskWork, tasksExtension } from '../tasks.js';
import { ownerOf } from '../verify-token.js';
import { textResult } from './basic.js';

const wanted = z.object({
  steps: z.number().int().min(1).max(100).default(3),
  delayMs: z.number().int().min(0).max(5000).default(300).describe('For each step.'),
  ask: z.boolean().default(false).describe('Whether the person is asked for a title on the way.'),
  fail: z.boolean().default(false).describe('Whether it fails in the end.'),
});

const title = z.object({ title: z.string().min(1).max(80).default('Untitled') });

/** report: takes its time. For clients that have tasks (SEP-2663) it is one; for others the call lasts as long. */
export function registerReport(server: McpServer, tasks: TaskStore): void {
  const hasTasks = () => server.server.getClientCapabilities()?.extensions?.[tasksExtension] !== undefined;
  server.registerTool(
    'report',
    {
      title: 'Write a report',
      description: 'Writes a report in several steps: a task, for clients that declare the tasks extension.',
      inputSchema: wanted,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (given, context) => {
      const work = (task: TaskWork) => written(given, task);
      if (hasTasks()) return tasks.begin(ownerOf(context), work) as CallToolResult;
      const ask: TaskWork['ask'] = async () => ({ action: 'decline' });
      return written(given, { signal: context.mcpReq.signal, say: () => undefined, ask });
    },
  );
  const declared = (context: ServerContext): string => {
    if (hasTasks()) return ownerOf(context);
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
    throw new ProtocolError(-32_021, 'Missing required client capability', { requiredCapabilities });
  };
  const one = z.object({ taskId: z.string() });
  server.server.setRequestHandler('tasks/get', { params: one }, ({ taskId }, context) =>
    tasks.get(declared(context), taskId),
  );
  server.server.setRequestHandler('tasks/cancel', { params: one }, ({ taskId }, context) => {
    tasks.cancel(declared(context), taskId);
    return {};
  });
  // The SDK keeps responses to questions apart from the other parameters.
  server.server.setRequestHandler('tasks/update', { params: one }, ({ taskId }, context) => {
    tasks.update(declared(context), taskId, context.mcpReq.inputResponses ?? {});
    return {};
  });
}

async function written({ steps, delayMs, ask, fail }: z.infer<typeof wanted>, task: TaskWork): Promise<CallToolResult> {
  const question = inputRequired.elicit({ message: 'What is the report called?', requestedSchema: title });
  const response = ask ? await task.ask('title', { ...question }) : {};
  const named = title.safeParse(response['content']);
  for (let step = 1; step <= steps; step += 1) {
    task.say(`Step ${step} of ${steps}.`);
    await wait(delayMs, undefined, { signal: task.signal });
  }
  if (fail) return { ...textResult('The report could not be written.'), isError: true };
  return textResult(`${named.success ? named.data.title : 'Untitled'}: ${steps} steps.`);
}
