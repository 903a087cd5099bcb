import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { callerOf } from '../caller-of.js';
import { needs } from '../needed-scope.js';
import type { NoteStore } from '../notes.js';
import { textResult } from './text-result.js';

const note = z.object({ id: z.string(), text: z.string() });

/** The note store: reading and writing need a scope each, beyond what the server asks for at first. */
export function registerNoteTools(server: McpServer, notes: NoteStore): void {
  // Only a session has a stream on which news can come.
  const tellChange = (context: ServerContext): void => {
    if (context.sessionId !== undefined) server.sendResourceListChanged();
  };
  server.registerTool(
    'note_add',
    {
      title: 'Add a note',
      description: 'Adds a note, kept in memory. Needs the scope notes:write.',
      inputSchema: z.object({ text: z.string().min(1).max(4096) }),
      outputSchema: note,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      scopeChallenge: needs('notes:write'),
    },
    ({ text }, context) => {
      const added = notes.add(callerOf(context).subject, text);
      if (added === undefined) {
        return { ...textResult('There is no room for another note; clear them first.'), isError: true };
      }
      tellChange(context);
      return { ...textResult(`Kept as note ${added.id}.`), structuredContent: { ...added } };
    },
  );
  server.registerTool(
    'note_list',
    {
      title: 'List notes',
      description: 'Lists your notes. Needs the scope notes:read.',
      outputSchema: z.object({ notes: z.array(note) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      scopeChallenge: needs('notes:read'),
    },
    (context) => {
      const all = notes.list(callerOf(context).subject);
      const text = all.length === 0 ? 'No notes.' : all.map(({ id, text }) => `${id}. ${text}`).join('\n');
      return { ...textResult(text), structuredContent: { notes: all.map((one) => ({ ...one })) } };
    },
  );
  server.registerTool(
    'note_clear',
    {
      title: 'Delete all notes',
      description: 'Deletes all your notes. Needs the scope notes:write.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      scopeChallenge: needs('notes:write'),
    },
    (context) => {
      const gone = notes.clear(callerOf(context).subject);
      tellChange(context);
      return textResult(`Deleted ${gone} notes.`);
    },
  );
}
