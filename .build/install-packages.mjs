// Installs the packages that some folders of test/ have of their own, each with its lock file there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = {
  conformance: { what: 'the official conformance suite' },
  programs: { what: 'Claude Code, Codex CLI and eleven more programs' },
  clients: { what: 'real clients and servers' },
  nodes: { what: 'other lines of Node.js' },
  windows: { what: 'node.exe, for wine', options: ['--os=win32', '--cpu=x64'] },
  native: { what: 'native parts for other systems', options: ['--force'] }, // which minds the platform
};

/** Installs what the test files need. Returns what could not be installed. */
export function installPackages(files) {
  return Object.entries(folders)
    .filter(([name]) => files.some((file) => file.startsWith(`test/${name}/`)) && !install(join('test', name), folders[name].options))
    .map(([, { what }]) => what);
}

function install(folder, options = []) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules', '.installed-lock');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return true;
  const args = ['ci', ...options, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) writeFileSync(installed, lock);
  else rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  return status === 0;
}
