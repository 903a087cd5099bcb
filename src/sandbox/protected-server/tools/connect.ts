import { setTimeout as wait } from 'node:timers/promises';
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type McpServer,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { PagesToSee } from '../pages-to-see.js';
import { ownerOf } from '../verify-token.js';
import { textResult } from './basic.js';

const message = 'Open this page of the sandbox, so that it knows your browser.';

/** How long a call of the older era waits for the browser. In milliseconds. */
const longestWaitMs = 300_000;

const connected = textResult('Your browser was here.');

/** connect: wants a page seen in a browser (elicitation in URL mode), where the client can have one opened. */
export function registerConnect(server: McpServer, pages: PagesToSee): void {
  server.registerTool(
    'connect',
    {
      title: 'Connect a browser',
      description: 'Asks for a page of the sandbox in the person’s browser, and says when it was opened.',
      inputSchema: z.object({
        refuse: z
          .boolean()
          .default(false)
          .describe('Whether a client of the older era is refused first (error -32042), instead of asked.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ refuse }, context) => {
      const owner = ownerOf(context);
      if (server.server.getClientCapabilities()?.elicitation?.url === undefined) {
        return textResult('This client does not declare elicitation in URL mode, so no page can be opened.');
      }
      if (pages.takeSeen(owner)) return connected;
      const { id, url, seen } = pages.of(owner);
      if (context.mcpReq.envelope !== undefined) {
        const reply = inputResponse(context.mcpReq.inputResponses, 'page');
        if (reply.kind === 'elicit' && reply.action !== 'accept') return refusedBy(reply.action);
        return inputRequired({ inputRequests: { page: inputRequired.elicitUrl({ message, url }) } });
      }
      const complete = server.server.createElicitationCompletionNotifier(id);
      if (refuse) {
        void seen.then(complete).catch(() => undefined); // the session may have ended
        throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId: id, url, message }]);
      }
      const { action } = await server.server.elicitInput({ mode: 'url', elicitationId: id, url, message });
      if (action !== 'accept') return refusedBy(action);
      await Promise.race([seen, wait(longestWaitMs, undefined, { signal: context.mcpReq.signal, ref: false })]);
      await complete();
      return pages.takeSeen(owner) ? connected : textResult('Your browser did not come.');
    },
  );
}

function refusedBy(action: string) {
  return textResult(`The person did not open the page (${action}).`);
}

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
