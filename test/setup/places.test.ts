import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '../../src/setup/machine/ports.js';
import { filesOf } from '../../src/setup/programs/program.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { machine } from './workshop.js';

/** The first file of each program, by its name. */
function places(more: Partial<Machine>, scope: 'user' | 'project' = 'user') {
  const all = allPrograms.flatMap((program) => {
    const [first] = filesOf(program, machine(more), scope);
    return first === undefined ? [] : [[program.name, first] as const];
  });
  return Object.fromEntries(all);
}

test('each program’s own configuration is where that program looks on Linux, macOS and Windows', () => {
  assert.deepEqual(places({}), {
    claude: '/home/a/.claude.json',
    codex: '/home/a/.codex/config.toml',
    'claude-desktop': '/home/a/.config/Claude/claude_desktop_config.json',
    cursor: '/home/a/.cursor/mcp.json',
    vscode: '/home/a/.config/Code/User/mcp.json',
    gemini: '/home/a/.gemini/settings.json',
    opencode: '/home/a/.config/opencode/opencode.json',
    zed: '/home/a/.config/zed/settings.json',
    windsurf: '/home/a/.codeium/windsurf/mcp_config.json',
    git: '/home/a/.gitconfig',
    kubectl: '/home/a/.kube/config',
    bazel: '/home/a/.bazelrc',
    go: '/home/a/.config/go/env',
  });
  const mac = places({ platform: 'darwin', homedir: '/Users/a' });
  const library = '/Users/a/Library/Application Support';
  assert.deepEqual(
    [mac['claude-desktop'], mac['vscode'], mac['go'], mac['zed']],
    [
      `${library}/Claude/claude_desktop_config.json`,
      `${library}/Code/User/mcp.json`,
      `${library}/go/env`,
      '/Users/a/.config/zed/settings.json',
    ],
  );
  const windows = places({ platform: 'win32', homedir: 'C:\\Users\\a', env: { APPDATA: 'D:\\Roaming' } });
  assert.deepEqual(
    [windows['claude'], windows['claude-desktop'], windows['zed'], windows['go']],
    [
      'C:\\Users\\a\\.claude.json',
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'D:\\Roaming\\Zed\\settings.json',
      'D:\\Roaming\\go\\env',
    ],
  );
});

test('variables that move a configuration are followed when they are absolute', () => {
  const env = {
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/x',
    XDG_CONFIG_HOME: 'relative',
    GIT_CONFIG_GLOBAL: '/g',
    KUBECONFIG: '/k1:/k2',
    GOENV: '/e',
    OPENCODE_CONFIG: '/o.json',
  };
  const { claude, codex, git, kubectl, go, opencode, zed } = places({ env });
  assert.deepEqual(
    [claude, codex, git, kubectl, go, opencode, zed],
    ['/c/.claude.json', '/x/config.toml', '/g', '/k1', '/e', '/o.json', '/home/a/.config/zed/settings.json'],
  );
});

test('with --project it is the working folder’s, where a program has such a file', () => {
  assert.deepEqual(places({}, 'project'), {
    claude: '/home/a/project/.mcp.json',
    codex: '/home/a/project/.codex/config.toml',
    cursor: '/home/a/project/.cursor/mcp.json',
    vscode: '/home/a/project/.vscode/mcp.json',
    gemini: '/home/a/project/.gemini/settings.json',
    opencode: '/home/a/project/opencode.json',
    zed: '/home/a/project/.zed/settings.json',
    bazel: '/home/a/project/.bazelrc',
  });
});
