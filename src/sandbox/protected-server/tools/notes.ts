import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { needs } from '../needed-scope.js';
import { callerOf } from '../verify-token.js';
import { textResult } from './basic.js';

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

export interface Note {
  readonly id: string;
  readonly text: string;
}

const maxNotes = 100;

const maxSubjects = 1000;

/** Notes by subject, in memory. Nobody sees another's. */
export class NoteStore {
  readonly #bySubject = new Map<string, { next: number; notes: readonly Note[] }>();

  list(subject: string): readonly Note[] {
    return this.#bySubject.get(subject)?.notes ?? [];
  }

  /** The new note, or undefined when there is no room for it. */
  add(subject: string, text: string): Note | undefined {
    const shelf = this.#bySubject.get(subject) ?? { next: 1, notes: [] };
    const full = shelf.notes.length >= maxNotes;
    if (full || (!this.#bySubject.has(subject) && this.#bySubject.size >= maxSubjects)) return undefined;
    const note = { id: String(shelf.next), text };
    this.#bySubject.set(subject, { next: shelf.next + 1, notes: [...shelf.notes, note] });
    return note;
  }

  /** Deletes all of a subject's notes: how many there were. */
  clear(subject: string): number {
    const gone = this.list(subject).length;
    this.#bySubject.delete(subject);
    return gone;
  }
}

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
