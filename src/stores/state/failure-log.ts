import type { FormatFailure } from '../../core/records.js';
import { asObject, type JsonValue, parseJson } from '../../core/text/json.js';
import type { FormatFailures, Locks } from '../ports.js';
import { stateUnsafe } from '../state-failures.js';
import { readPrivateFile } from './private-file.js';
import { replacePrivateFile } from './safe-file.js';

const maxBytes = 65_536;

const mostFailures = 32;

/** Another program waits for its answer meanwhile. */
const lockWaitMs = 500;

/** Where the failures stand in the state folder. */
export function failuresPath(stateFolder: string): string {
  return `${stateFolder}/failures.json`;
}

/** The failures of other programs' requests, in a small file of `directory`: the last of each format and origin. */
export function createFormatFailures(options: { readonly directory: string; readonly locks: Locks }): FormatFailures {
  const { directory, locks } = options;
  const path = failuresPath(directory);
  const change = async (
    needed: (failures: readonly FormatFailure[]) => boolean,
    work: (failures: readonly FormatFailure[]) => readonly FormatFailure[],
  ): Promise<void> => {
    if (!needed(readFailuresSync(path))) return;
    const { signal } = new AbortController();
    await using _lock = await locks.acquire('failures', { waitMs: lockWaitMs, signal });
    const failures = work(readFailuresSync(path));
    await replacePrivateFile(path, `${JSON.stringify({ version: 1, failures }, null, 1)}\n`);
  };
  return {
    read: async () => readFailuresSync(path),
    keep: (failure) =>
      change(
        () => true,
        (failures) =>
          [...failures.filter((one) => one.origin !== failure.origin || one.format !== failure.format), failure].slice(
            -mostFailures,
          ),
      ),
    forget: (origin, format) => {
      const isOf = (one: FormatFailure) => one.origin === origin && (format === undefined || one.format === format);
      return change(
        (failures) => failures.some(isOf),
        (failures) => failures.filter((one) => !isOf(one)),
      );
    },
  };
}

/**
 * The failures in the file at `path`; one that is not understood counts as none, and so does the whole file: it holds
 * nothing that anybody would miss.
 * @throws Failure `state_unsafe`
 */
export function readFailuresSync(path: string): readonly FormatFailure[] {
  const file = readPrivateFile(path, maxBytes);
  if (!file.ok) {
    if (file.problem === 'absent') return [];
    throw stateUnsafe(path, file.why);
  }
  const parsed = parseJson(file.bytes);
  const list = parsed.ok ? asObject(parsed.value)?.['failures'] : undefined;
  return (Array.isArray(list) ? list : []).flatMap(failureOf);
}

function failureOf(value: JsonValue): readonly FormatFailure[] {
  const { at, format, origin, code } = asObject(value) ?? {};
  return typeof at === 'number' &&
    Number.isSafeInteger(at) &&
    typeof format === 'string' &&
    typeof origin === 'string' &&
    typeof code === 'string'
    ? [{ at, format, origin, code }]
    : [];
}
