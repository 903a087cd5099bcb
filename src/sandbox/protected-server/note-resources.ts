import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { callerOf } from './caller-of.js';
import { needs } from './needed-scope.js';
import type { NoteStore } from './notes.js';

const about =
  'The embedded server of postern sandbox. Its keys, accounts and notes are in memory and gone when it ends.';

/** The resources `sandbox://about` and `note://{id}`, and the prompt made of notes. */
export function registerNoteResources(server: McpServer, notes: NoteStore): void {
  server.registerResource(
    'about',
    'sandbox://about',
    { title: 'About this server', mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: about }] }),
  );
  const template = new ResourceTemplate('note://{id}', {
    list: (context) => {
      const { subject, scopes } = callerOf(context);
      const visible = scopes.includes('notes:read') ? notes.list(subject) : [];
      return {
        resources: visible.map(({ id }) => ({ uri: `note://${id}`, name: `note-${id}`, mimeType: 'text/plain' })),
      };
    },
  });
  server.registerResource(
    'note',
    template,
    {
      title: 'A note',
      description: 'One of your notes. Needs the scope notes:read.',
      mimeType: 'text/plain',
      scopeChallenge: needs('notes:read'),
    },
    (uri, { id }, context) => {
      const note = notes.list(callerOf(context).subject).find((one) => one.id === id);
      if (note === undefined) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: note.text }] };
    },
  );
  server.registerPrompt(
    'summarize-notes',
    {
      title: 'Summarize my notes',
      description: 'A request to summarize all your notes. Needs the scope notes:read.',
      argsSchema: z.object({ style: z.enum(['short', 'long']).default('short') }),
      scopeChallenge: needs('notes:read'),
    },
    ({ style }, context) => {
      const texts = notes.list(callerOf(context).subject).map(({ text }) => `- ${text}`);
      const asked = style === 'short' ? 'in one sentence' : 'in one paragraph';
      const text = `Summarize these notes ${asked}:\n${texts.join('\n') || '(there are none)'}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );
}
