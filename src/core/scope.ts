import { isNqcharText } from './text/characters.js';

/** Limits of a scope string, in scopes and characters. */
const maxScopes = 100;
const maxLength = 4096;

/** `problem` follows the name of what holds the scope string. */
type ParsedScope =
  | { readonly ok: true; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * The scopes of a wire string (RFC 6749 section 3.3), in order, without duplicates. Some servers write "a, b": a trailing
 * comma is not part of a name.
 */
export function parseScope(text: string): ParsedScope {
  if (text.length > maxLength) return { ok: false, problem: `is longer than ${maxLength} characters` };
  const scopes = [
    ...new Set(
      text
        .split(' ')
        .map(withoutComma)
        .filter((scope) => scope !== ''),
    ),
  ];
  if (scopes.length > maxScopes) return { ok: false, problem: `has more than ${maxScopes} scopes` };
  return scopes.every(isNqcharText) ? { ok: true, scopes } : { ok: false, problem: 'has a forbidden character' };
}

const withoutComma = (scope: string) => (scope.endsWith(',') ? scope.slice(0, -1) : scope);

/** The union: `first` in its order, then what `second` adds. */
export function unionScopes(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])];
}

/** The scopes of `wanted` that `held` lacks, in their order. */
export function scopesMissing(held: readonly string[], wanted: readonly string[]): readonly string[] {
  const has = new Set(held);
  return wanted.filter((scope) => !has.has(scope));
}
