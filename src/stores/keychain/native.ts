import { createRequire } from 'node:module';

/** One item of the platform's keychain, as the package gives it. */
export interface NativeAsyncEntry {
  getPassword(): Promise<string | null>;
  setPassword(password: string): Promise<void>;
  deleteCredential(): Promise<boolean>;
}

/** The part used of `@napi-rs/keyring` (in package.json under the name of the archived `keytar`). */
export interface Native {
  readonly AsyncEntry: new (service: string, account: string, options: object) => NativeAsyncEntry;
}

/**
 * Without it the package writes to the kernel's keyring, lost at the next boot, whenever there is trouble with the
 * Secret Service.
 */
export const entryOptions = { linux: { store: 'secret-service' } };

/**
 * Loads the package's native part directly: `import` of its loader takes twenty times as long. The one file that
 * knows the package.
 * @throws what `require` throws when there is none for this platform
 */
export function loadNative(): Native {
  const require = createRequire(import.meta.filename);
  const names = abisOf(process.platform).map((abi) =>
    ['@napi-rs/keyring', process.platform, process.arch, ...abi].join('-'),
  );
  for (const name of names) {
    const native = tryRequire(require, name);
    if (native !== undefined) return native;
  }
  return require('keytar') as Native; // installed beside another copy, or for a rarer system
}

function abisOf(platform: string): readonly (readonly string[])[] {
  if (platform === 'linux') return [['gnu'], ['musl'], ['gnueabihf']];
  return platform === 'win32' ? [['msvc']] : [[]];
}

function tryRequire(require: NodeJS.Require, name: string): Native | undefined {
  try {
    return require(name) as Native;
  } catch {
    return undefined; // not there, or made for another C library
  }
}
