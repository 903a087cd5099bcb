import { closest } from '../core/text/closest.js';
import { inColumnsOrStacked, wrapped } from '../core/text/layout.js';
import type { Look } from '../core/text/look.js';
import { quoted } from '../core/text/printable.js';
import { usageMistyped, usageWrong } from '../core/usage-failures.js';
import { catalogue, type FindingId, isFindingId } from './catalogue/catalogue.js';
import { actors, type FindingKind } from './finding.js';

/** A finding in plain words, with its source. @throws Failure `usage_wrong` for an id that is none */
export function explanation(id: string): FindingKind & { readonly id: FindingId } {
  if (isFindingId(id)) return { id, ...catalogue[id] };
  const meant = closest(id, Object.keys(catalogue));
  const message = `There is no finding ${quoted(id, 80)}.`;
  throw meant === undefined
    ? usageWrong(message, 'postern doctor --explain list')
    : usageMistyped(message, `postern doctor --explain ${meant}`);
}

/** The same for a person. */
export function explanationLines(id: string, look: Look): readonly string[] {
  const { title, explanation: why, remedy, source, who } = explanation(id);
  const part = (text: string) => wrapped(text, look.width, 2);
  return [
    ...wrapped(`${id}: ${title}`, look.width),
    '',
    ...part(why),
    '',
    ...part(`To act: ${actors[who]}`),
    ...part(`To do: ${remedy}`),
    '',
    ...part(`Source: ${source}`),
  ];
}

/** What programs are told of a finding. */
export function kindJson({ isUnsafe: _, ...kind }: FindingKind & { readonly id: string }): object {
  return kind;
}

/** Every finding, as programs are told. */
export function allFindings(): readonly object[] {
  return Object.entries(catalogue).map(([id, kind]) => kindJson({ id, ...kind }));
}

/** Every finding, in a line each. */
export function findingLines(look: Look): readonly string[] {
  return inColumnsOrStacked(
    look,
    Object.entries(catalogue).map(([id, { level, title }]) => [id, level, title]),
  );
}
