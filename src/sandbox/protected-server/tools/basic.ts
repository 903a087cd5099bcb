import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { callerOf } from '../caller-of.js';
import { textResult } from './text-result.js';

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
