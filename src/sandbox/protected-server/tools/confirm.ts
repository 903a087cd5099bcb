import { acceptedContent, inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { textResult } from './text-result.js';

const wanted = z.object({
  sure: z.boolean().default(false).describe('Whether to go ahead.'),
  reason: z.string().max(200).optional().describe('Why, in a few words.'),
});

/** confirm: asks the person at the client (elicitation), where the client can do that. */
export function registerConfirm(server: McpServer): void {
  server.registerTool(
    'confirm',
    {
      title: 'Ask to confirm',
      description: 'Asks the person at the client to confirm something, and returns the answer.',
      inputSchema: z.object({ what: z.string().min(1).max(200).default('Go ahead?') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ what }, context) => {
      if (server.server.getClientCapabilities()?.elicitation === undefined) {
        return textResult('This client does not declare elicitation, so nobody can be asked.');
      }
      const reply = inputResponse(context.mcpReq.inputResponses, 'confirm');
      if (reply.kind !== 'elicit') {
        return inputRequired({
          inputRequests: { confirm: inputRequired.elicit({ message: what, requestedSchema: wanted }) },
        });
      }
      if (reply.action !== 'accept') return textResult(`The person did not answer (${reply.action}).`);
      const content = acceptedContent(context.mcpReq.inputResponses, 'confirm', wanted);
      if (content === undefined) return { ...textResult('The answer does not fit the question.'), isError: true };
      return textResult(content.sure ? 'Confirmed.' : 'Not confirmed.');
    },
  );
}
