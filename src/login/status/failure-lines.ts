import type { FormatFailure } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { inWords } from '../render.js';

/** What is wrong with the words, or the input, that `postern credential` was called with. */
const wrongCalls: ReadonlySet<string> = new Set([
  'usage',
  'usage_wrong',
  'word_missing',
  'server_unusable',
  'request_unusable',
  'output_unusable',
]);

/**
 * What other programs asked for in vain, a line each, and how to see why: such programs mostly hide what we print, and a
 * helper that is called with the wrong words need not be an entry of ours. `now` in milliseconds since 1970.
 */
export function failureLines(failures: readonly FormatFailure[], now: number): readonly string[] {
  const isCall = ({ code }: FormatFailure) => wrongCalls.has(code);
  return [
    ...failures.map((failure) => failureLine(failure, now)),
    ...(failures.every(isCall) ? [] : ['To see why: postern setup --check']),
    ...(failures.some(isCall) ? ['How such a helper is to be called: postern help credential'] : []),
  ];
}

function failureLine({ at, format, origin, code }: FormatFailure, now: number): string {
  const where = origin === '' ? '' : ` for ${origin}`;
  const when = now - at < 1000 ? 'just now' : `${inWords(now - at)} ago`;
  return printable(`Last failure: credential ${format}${where} ${when}: ${code.replaceAll('_', ' ')}`, 600);
}

/** The same as JSON. */
export function failureJson({ at, format, origin, code }: FormatFailure): Readonly<Record<string, unknown>> {
  return { at: new Date(at).toISOString(), format, origin: origin === '' ? null : origin, code };
}
