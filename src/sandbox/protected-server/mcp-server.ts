import { McpServer } from '@modelcontextprotocol/server';
import type { ProtectedServerSettings } from './options.js';
import type { PagesToSee } from './pages-to-see.js';
import { type TaskStore, tasksExtension } from './tasks.js';
import { registerBasicTools, registerCountdown } from './tools/basic.js';
import { registerConfirm, registerConnect } from './tools/connect.js';
import { type NoteStore, registerNoteResources, registerNoteTools } from './tools/notes.js';
import { registerReport } from './tools/report.js';
import { registerUpstreamProfile } from './tools/upstream.js';

/** What all sessions share. */
export interface ServerWorld {
  readonly notes: NoteStore;
  readonly tasks: TaskStore;
  readonly pages: PagesToSee;
  readonly accounts: ProtectedServerSettings['accounts'];
}

/** One protocol server, for one session or one request without a session. */
export function buildMcpServer(world: ServerWorld): McpServer {
  const server = new McpServer(
    { name: 'postern-sandbox', title: 'Postern sandbox', version: '1.0.0' },
    {
      capabilities: { logging: {}, extensions: { [tasksExtension]: {} } },
      instructions:
        'A protected server to try clients on. Begin with the tool whoami; the note tools need more scopes.',
    },
  );
  registerBasicTools(server);
  registerNoteTools(server, world.notes);
  registerNoteResources(server, world.notes);
  registerCountdown(server);
  registerConfirm(server);
  registerReport(server, world.tasks);
  registerConnect(server, world.pages);
  registerUpstreamProfile(server, world.accounts);
  return server;
}
