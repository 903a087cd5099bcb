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
