import { setTimeout as wait } from 'node:timers/promises';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { textResult } from './text-result.js';

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
