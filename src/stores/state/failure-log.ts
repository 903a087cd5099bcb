import { join } from 'node:path';
import type { FormatFailure } from '../../core/records.js';
import { asObject, type JsonValue, parseObject } from '../../core/text/json.js';
import type { FormatFailures, Locks } from '../ports.js';
import { readIfThere } from './private-file.js';
import { updateStateFile } from './safe-file.js';

const maxBytes = 65_536;

const maxFailures = 32;

/** Another program waits meanwhile. */
const waitMs = 500;

/** Where the failures are in the state folder. */
export function failuresPath(stateFolder: string): string {
  return join(stateFolder, 'failures.json');
}

type Failures = readonly FormatFailure[];

/** The failures of other programs' requests, in a small file of `directory`: the last of each format and origin. */
export function createFormatFailures(options: { readonly directory: string; readonly locks: Locks }): FormatFailures {
  const path = failuresPath(options.directory);
  const update = (change: (failures: Failures) => Failures) =>
    updateStateFile(
      {
        path,
        locks: options.locks,
        lock: 'failures',
        waitMs,
        read: () => readFailuresSync(path),
        textOf: (failures) => `${JSON.stringify({ version: 1, failures }, null, 1)}\n`,
      },
      change,
    );
  return {
    read: async () => readFailuresSync(path),
    keep: async (failure) => {
      const isOther = (one: FormatFailure) => one.origin !== failure.origin || one.format !== failure.format;
      await update((failures) => [...failures.filter(isOther), failure].slice(-maxFailures));
    },
    forget: async (origin, format) => {
      const isOf = (one: FormatFailure) => one.origin === origin && (format === undefined || one.format === format);
      if (!readFailuresSync(path).some(isOf)) return; // the usual case needs no lock
      await update((failures) => failures.filter((one) => !isOf(one)));
    },
  };
}

/** The failures in the file at `path`; what is not understood is left out. @throws Failure `state_unsafe` */
export function readFailuresSync(path: string): Failures {
  const file = readIfThere(path, maxBytes);
  const list = file && parseObject(file.bytes)?.['failures'];
  return Array.isArray(list) ? list.flatMap(failureOf) : [];
}

function failureOf(value: JsonValue): Failures {
  const { at, ...texts } = asObject(value) ?? {};
  const { format, origin, code } = texts;
  return Number.isSafeInteger(at) && [format, origin, code].every((text) => typeof text === 'string')
    ? [{ at, format, origin, code } as FormatFailure]
    : [];
}
