/** Why a file of another program is left as it is; a person mends it by hand. */
export type EditProblem =
  /** It is not of its format. */
  | 'unreadable'
  /** A name occurs twice where one of them would be changed. */
  | 'duplicate'
  /** Something else than expected stands where the entry belongs. */
  | 'shape'
  /** The entry is there in a form that is not edited here: inline, dotted, flow style, spread over the file. */
  | 'form';

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: EditProblem };

/** The entry as it stands in the file, undefined when there is none. */
export type FoundEntry =
  | { readonly ok: true; readonly raw: string | undefined }
  | { readonly ok: false; readonly problem: EditProblem };

/** What the entry means, whatever its layout; undefined when there is none. */
export type FoundValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: EditProblem };

export function edited(text: string): Edited {
  return { ok: true, text };
}

export function notEdited(problem: EditProblem): { readonly ok: false; readonly problem: EditProblem } {
  return { ok: false, problem };
}
