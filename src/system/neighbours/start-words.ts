import { realpathSync } from 'node:fs';
import type { StartWords } from '../../ports/neighbours.js';

/**
 * The paths by which another program can start this one again and again. Real ones, since links of shells' own
 * (fnm, nvm's `current`) come and go; but where real paths hold a version (Homebrew, pnpm), the link to them.
 * @param execPath `process.execPath` @param script The launcher as it was started, perhaps by a link to it.
 */
export function startWords(execPath: string, script: string): StartWords {
  const real = followed(script) ?? script;
  const isVersioned = /[\\/](?:\.pnpm|Cellar)[\\/]/.test(real);
  const chosen = isVersioned && real !== script ? script : real;
  return { node: nodePath(execPath), script: chosen, lasts: lastsOf(execPath, real) };
}

/** Homebrew replaces `Cellar/node/<version>` at each upgrade, and keeps `opt/node` pointing at it. */
function nodePath(execPath: string): string {
  const cellar = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/(.*)$/.exec(execPath);
  if (cellar === null) return execPath;
  const [, prefix, formula, rest] = cellar;
  const link = `${prefix}/opt/${formula}/${rest}`;
  return followed(link) === followed(execPath) ? link : execPath;
}

function lastsOf(node: string, script: string): StartWords['lasts'] {
  if (/[\\/](?:_npx|dlx[^\\/]*|\.bun[\\/]install[\\/]cache)[\\/]/.test(script)) return 'cache';
  if (!/[\\/]node_modules[\\/]/.test(script)) return 'checkout';
  return /[\\/](?:\.?nvm|\.?fnm|fnm|\.volta|\.asdf|mise|\.?nodenv|n[\\/]versions)[\\/]/.test(node)
    ? 'this-version-of-node'
    : 'upgrades';
}

function followed(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
