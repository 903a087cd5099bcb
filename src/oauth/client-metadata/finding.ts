/** What is wrong, or unwise, about a client ID metadata document, its address, or the way it is served. */
export interface Finding extends Problem {
  /** Stable: the member, header or part that it is about. */
  readonly code: string;
  /** The rule's id in the project's rule table, and the section of the specification that it comes from. */
  readonly rule: string;
}

export interface Problem {
  /** `failure`: an authorization server that keeps to the rules refuses it. `warning`: some do, or users lose by it. */
  readonly verdict: 'failure' | 'warning';
  /** One sentence; the document's own words come quoted. */
  readonly what: string;
  /** One sentence: what to change. */
  readonly remedy: string;
}

export const fails = (what: string, remedy: string): Problem => ({ verdict: 'failure', what, remedy });

export const warns = (what: string, remedy: string): Problem => ({ verdict: 'warning', what, remedy });

/** The problems of one part that there are, as findings. */
export function findingsAbout(
  code: string,
  rule: string,
  ...problems: readonly (Problem | false | undefined)[]
): readonly Finding[] {
  return problems.flatMap((problem) => (problem ? [{ code, rule, ...problem }] : []));
}
