// node .build/release/licenses.mjs     prints the licences of all that is inside a single executable
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const line = `\n${'-'.repeat(80)}\n\n`;

/** Of the bundled packages, of the keychain's native part, and of the Node.js that runs this. */
export function licensesInside() {
  const keychain = dirname(createRequire(import.meta.url).resolve('keytar/package.json'));
  const { version, license } = JSON.parse(readFileSync(join(keychain, 'package.json'), 'utf8'));
  const ofKeychain = ['LICENSE', 'LICENSE.third-party.md']
    .map((name) => nativeFolders(keychain).map((folder) => join(folder, name)).find(existsSync))
    .filter((file) => file !== undefined);
  return [
    readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8'),
    [`@napi-rs/keyring ${version} (${license})`, ...ofKeychain.map((file) => readFileSync(file, 'utf8'))].join('\n\n'),
    `Node.js ${process.versions.node} (MIT, and those of what it contains)\n\n${nodeLicense()}`,
  ].join(line);
}

function nativeFolders(keychain) {
  const { platform, arch } = process;
  const end = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  return [keychain, join(root, 'node_modules', '@napi-rs', `keyring-${platform}-${arch}${end}`)];
}

/** Official archives have it above the folder of the executable, or on Windows beside it. */
function nodeLicense() {
  const folder = dirname(process.execPath);
  const found = [join(folder, '..', 'LICENSE'), join(folder, 'LICENSE'), '/usr/share/doc/nodejs/copyright'].find(existsSync);
  if (found !== undefined) return readFileSync(found, 'utf8');
  if (process.env.GITHUB_ACTIONS !== undefined) throw new Error('the licence of Node.js was not found');
  return 'https://github.com/nodejs/node/blob/main/LICENSE\n';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(licensesInside());
