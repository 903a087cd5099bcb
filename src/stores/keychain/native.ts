import { createRequire } from 'node:module';

/** The part used of `@napi-rs/keyring` (in package.json under the name of the archived `keytar`). */
interface Native {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: object,
  ) => {
    getPassword(): Promise<string | null>;
    setPassword(password: string): Promise<void>;
    deleteCredential(): Promise<boolean>;
  };
}

/**
 * Without it the package writes to the kernel's keyring, lost at the next boot, whenever there is trouble with the
 * Secret Service.
 */
export const entryOptions = { linux: { store: 'secret-service' } };

const abis: Readonly<Record<string, readonly string[]>> = { linux: ['-gnu', '-musl', '-gnueabihf'], win32: ['-msvc'] };

/**
 * Loads the package's native part directly: `import` of its loader takes twenty times as long. The one file that
 * knows the package.
 * @throws what `require` throws when there is none for this platform
 */
export function loadNative(): Native {
  const require = createRequire(import.meta.filename);
  for (const abi of abis[process.platform] ?? ['']) {
    try {
      return require(`@napi-rs/keyring-${process.platform}-${process.arch}${abi}`) as Native;
    } catch {
      // not there, or made for another C library
    }
  }
  return require('keytar') as Native; // installed beside another copy, or for a rarer system
}
