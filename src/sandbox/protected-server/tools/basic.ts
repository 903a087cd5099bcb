import { setTimeout as wait } from 'node:timers/promises';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { callerOf } from '../verify-token.js';

const readOnly = { readOnlyHint: true, openWorldHint: false };

/** whoami, echo and fail: what every caller may use. */
export function registerBasicTools(server: McpServer): void {
  server.registerTool(
    'whoami',
    {
      title: 'Who am I',
      description: 'Says whose access token this call carries, and what it allows.',
      outputSchema: z.object({
        subject: z.string(),
        clientId: z.string(),
        scopes: z.array(z.string()),
        expiresAt: z.string().describe('When the access token expires (ISO 8601).'),
      }),
      annotations: readOnly,
    },
    (context) => {
      const { subject, clientId, scopes, expiresAt } = callerOf(context);
      const expiry = new Date(expiresAt * 1000).toISOString();
      return {
        ...textResult(`${subject} through ${clientId}, allowed ${scopes.join(' ')} until ${expiry}`),
        structuredContent: { subject, clientId, scopes: [...scopes], expiresAt: expiry },
      };
    },
  );
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Repeats the text.',
      inputSchema: z.object({
        text: z.string().max(10_000),
        repeat: z.number().int().min(1).max(20).default(1).describe('How many times.'),
      }),
      annotations: readOnly,
    },
    ({ text, repeat }) => textResult(Array.from({ length: repeat }, () => text).join('\n')),
  );
  server.registerTool(
    'fail',
    {
      title: 'Fail',
      description: 'Fails, to show what a tool error looks like.',
      inputSchema: z.object({ message: z.string().max(1000).default('This tool always fails.') }),
      annotations: readOnly,
    },
    ({ message }) => ({ ...textResult(message), isError: true }),
  );
}

/** countdown: tells its progress at every step, so the response is an event stream. */
export function registerCountdown(server: McpServer): void {
  server.registerTool(
    'countdown',
    {
      title: 'Count down',
      description: 'Counts down to zero, with progress at each step.',
      inputSchema: z.object({
        steps: z.number().int().min(1).max(50).default(3),
        delayMs: z.number().int().min(0).max(5000).default(200).describe('Pause before each step.'),
        breakAt: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Step at which the stream is closed: the rest is there for a client that resumes.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ steps, delayMs, breakAt }, context) => {
      await context.mcpReq.log('info', `Counting down from ${steps}.`, 'countdown');
      for (let step = 1; step <= steps; step += 1) {
        await wait(delayMs, undefined, { signal: context.mcpReq.signal });
        if (step === breakAt) context.http?.closeSSE?.();
        await tellProgress(context, step, steps);
      }
      return textResult(`Done after ${steps} steps.`);
    },
  );
}

async function tellProgress(context: ServerContext, progress: number, total: number): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await context.mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress, total, message: `${total - progress} to go` },
  });
}

/** A tool's result that is one piece of text. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
