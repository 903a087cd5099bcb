import { createRequire } from 'node:module';
import { singleExecutable, unpackedNative } from './single-executable.js';

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

/** What the native part is called on a system, each C library's own; none elsewhere. */
export function nativePackages(platform: string, arch: string): readonly string[] {
  return (abis[platform] ?? ['']).map((abi) => `@napi-rs/keyring-${platform}-${arch}${abi}`);
}

/**
 * Loads the package's native part directly: `import` of its loader takes twenty times as long. The one file that
 * knows the package.
 * @throws what `require` throws when there is none for this platform
 */
export async function loadNative(env: Readonly<Record<string, string | undefined>>): Promise<Native> {
  const executable = singleExecutable();
  const require = createRequire(import.meta.filename);
  if (executable !== undefined) return require(await unpackedNative(executable, env)) as Native;
  for (const name of nativePackages(process.platform, process.arch)) {
    try {
      return require(name) as Native;
    } catch {
      // not there, or made for another C library
    }
  }
  return require('keytar') as Native; // installed beside another copy, or for a rarer system
}
