import type { FormatFailure } from '../../core/records.js';
import { asObject, type JsonValue } from '../../core/text/json.js';
import { isText, isWhole, wrongMember } from '../checks.js';
import type { FormatFailures, Locks } from '../ports.js';
import { readEntries, smallFile, smallFilePath } from './small-files.js';

const maxFailures = 32;

type Failures = readonly FormatFailure[];

/** The failures of other programs' requests: the last of each format and origin. */
export function createFormatFailures(options: { readonly directory: string; readonly locks: Locks }): FormatFailures {
  const file = smallFile('failures', options, failuresIn);
  return {
    read: async () => file.read(),
    keep: async (failure) => {
      const isOther = (one: FormatFailure) => one.origin !== failure.origin || one.format !== failure.format;
      await file.update((failures) => [...failures.filter(isOther), failure].slice(-maxFailures));
    },
    forget: async (origin, format) => {
      const isOf = (one: FormatFailure) => one.origin === origin && (format === undefined || one.format === format);
      if (!file.read().some(isOf)) return; // the usual case needs no lock
      await file.update((failures) => failures.filter((one) => !isOf(one)));
    },
  };
}

/** Where the failures are in the state folder. */
export function failuresPath(stateFolder: string): string {
  return smallFilePath(stateFolder, 'failures');
}

/** The failures in the file at `path`. @throws Failure `state_unsafe` */
export function readFailuresSync(path: string): Failures {
  return failuresIn(readEntries(path, 'failures'));
}

function failuresIn(entries: JsonValue | undefined): Failures {
  const checks = { at: isWhole, format: isText, origin: isText, code: isText };
  const isOurs = (value: JsonValue) => wrongMember(asObject(value), checks) === undefined;
  return Array.isArray(entries) ? (entries.filter(isOurs) as unknown as Failures) : [];
}
