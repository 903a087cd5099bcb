import { printable } from '../../primitives/printable.js';
import type { FormatFailure } from '../../primitives/records.js';
import { inWords } from './duration.js';

/** Such programs mostly hide what they are told. */
export const howToSeeWhy =
  '  to see why  postern setup --check, which runs what these programs run; or type that command yourself';

/** What another program asked for in vain, in a line. `now` in milliseconds since 1970. */
export function failureLine({ at, format, origin, code }: FormatFailure, now: number): string {
  const where = origin === '' ? '' : ` for ${origin}`;
  const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
  const line = `Asked in vain: postern credential ${format}${where}, ${when}: ${code}`;
  return printable(line, 600);
}

export function failureJson({ at, format, origin, code }: FormatFailure): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), format, origin: origin === '' ? null : origin, code };
}
