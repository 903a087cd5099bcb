import type { McpServer } from '@modelcontextprotocol/server';
import type { UpstreamClient } from '../upstream.js';
import { textResult } from './text-result.js';

/** upstream_time: asks another resource, with this server's own token for it. */
export function registerUpstreamTime(server: McpServer, upstream: UpstreamClient): void {
  server.registerTool(
    'upstream_time',
    {
      title: 'Ask the upstream for the time',
      description: 'Asks another protected resource for the time, with a token that is not yours.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => textResult(upstream.time()),
  );
}
