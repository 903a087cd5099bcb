import type { McpServer } from '@modelcontextprotocol/server';
import type { UpstreamAccounts } from '../../upstream-accounts.js';
import { needs } from '../needed-scope.js';
import { callerOf } from '../verify-token.js';
import { textResult } from './basic.js';

/** upstream_profile: uses the person's account at the upstream, if they allowed it to the very client that calls. */
export function registerUpstreamProfile(server: McpServer, accounts: Pick<UpstreamAccounts, 'profile'>): void {
  server.registerTool(
    'upstream_profile',
    {
      title: 'Read your profile at the upstream',
      description:
        'Reads your profile at another service, with a token that was issued to this server for you and the ' +
        'program that calls. Needs the scope upstream:read.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      scopeChallenge: needs('upstream:read'),
    },
    async (context) => {
      const { subject, clientId } = callerOf(context);
      const name = await accounts.profile(subject, clientId);
      if (name !== undefined) return textResult(`At the upstream you are ${name}.`);
      const sentence =
        'The upstream was not connected for you and this program: log in again with the scope upstream:read.';
      return { ...textResult(sentence), isError: true };
    },
  );
}
