import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The web address of the repository that this is built from: as the workflow names it, else the git remote `origin`.
 * Undefined where there is none, or one on this machine: no address is made up.
 */
export function repositoryUrl(env, folder) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  if (server && name) return webAddress(`${server}/${name}`);
  try {
    const stdio = ['ignore', 'pipe', 'ignore'];
    return webAddress(execFileSync('git', ['config', '--get', 'remote.origin.url'], { cwd: folder, stdio, encoding: 'utf8' }).trim());
  } catch {
    return undefined;
  }
}

/** `git@host:a/b.git` and `https://user:token@host/a/b` are `https://host/a/b`; whatever stands before the @ is left out. */
export function webAddress(remote) {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(remote);
  const spelled = short === null ? remote : `ssh://${short[1]}/${short[2]}`;
  if (!URL.canParse(spelled)) return undefined;
  const url = new URL(spelled);
  if (!/^(?:git\+)?(?:https?|ssh|git):$/.test(url.protocol) || !url.hostname.includes('.')) return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  return /^(?:\/[\w.~-]+){2,}$/.test(path) ? `https://${url.hostname}${path}` : undefined;
}

/** What package.json says of where it comes from; nothing where nobody knows. */
export function addresses(repository) {
  if (repository === undefined) return {};
  return {
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git` },
  };
}

/** package.json of that folder. */
export function packageOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
