import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '../../src/setup/machine/external-programs.js';
import { programFiles } from '../../src/setup/machine/program-files.js';
import { configurationFile } from '../../src/setup/plan-entry.js';
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
    'lm-studio': '/home/a/.lmstudio/mcp.json',
    cursor: '/home/a/.cursor/mcp.json',
    vscode: '/home/a/.config/Code/User/mcp.json',
    'vscode-insiders': '/home/a/.config/Code - Insiders/User/mcp.json',
    vscodium: '/home/a/.config/VSCodium/User/mcp.json',
    'cline-vscode': '/home/a/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    zed: '/home/a/.config/zed/settings.json',
    windsurf: '/home/a/.codeium/windsurf/mcp_config.json',
    devin: '/home/a/.config/devin/mcp_config.json',
    'devin-cli': '/home/a/.config/devin/config.json',
    antigravity: '/home/a/.gemini/config/mcp_config.json',
    kiro: '/home/a/.kiro/settings/mcp.json',
    junie: '/home/a/.junie/mcp/mcp.json',
    warp: '/home/a/.warp/.mcp.json',
    copilot: '/home/a/.copilot/mcp-config.json',
    gemini: '/home/a/.gemini/settings.json',
    qwen: '/home/a/.qwen/settings.json',
    opencode: '/home/a/.config/opencode/opencode.json',
    kilo: '/home/a/.config/kilo/kilo.jsonc',
    cline: '/home/a/.cline/data/settings/cline_mcp_settings.json',
    droid: '/home/a/.factory/mcp.json',
    grok: '/home/a/.grok/config.toml',
    kimi: '/home/a/.kimi-code/mcp.json',
    amp: '/home/a/.config/amp/settings.json',
    goose: '/home/a/.config/goose/config.yaml',
    crush: '/home/a/.config/crush/crushrc',
    git: '/home/a/.gitconfig',
    kubectl: '/home/a/.kube/config',
    bazel: '/home/a/.bazelrc',
    go: '/home/a/.config/go/env',
  });
  const mac = places({ platform: 'darwin', homedir: '/Users/a' });
  const library = '/Users/a/Library/Application Support';
  assert.deepEqual(
    [mac['claude-desktop'], mac['vscode'], mac['go'], mac['zed'], mac['vscodium'], mac['devin'], mac['goose']],
    [
      `${library}/Claude/claude_desktop_config.json`,
      `${library}/Code/User/mcp.json`,
      `${library}/go/env`,
      '/Users/a/.config/zed/settings.json',
      `${library}/VSCodium/User/mcp.json`,
      '/Users/a/.config/devin/mcp_config.json',
      '/Users/a/.config/goose/config.yaml',
    ],
  );
  const windows = places({ platform: 'win32', homedir: 'C:\\Users\\a', env: { APPDATA: 'D:\\Roaming' } });
  assert.deepEqual(
    ['claude', 'claude-desktop', 'zed', 'go', 'devin', 'goose', 'copilot', 'amp'].map((name) => windows[name]),
    [
      'C:\\Users\\a\\.claude.json',
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'D:\\Roaming\\Zed\\settings.json',
      'D:\\Roaming\\go\\env',
      'D:\\Roaming\\devin\\mcp_config.json',
      'D:\\Roaming\\Block\\goose\\config\\config.yaml',
      'C:\\Users\\a\\.copilot\\mcp-config.json',
      'C:\\Users\\a\\.config\\amp\\settings.json',
    ],
  );
});

test('variables that move a configuration are followed when they are absolute', () => {
  const env = {
    ...{ CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', GIT_CONFIG_GLOBAL: '/g', KUBECONFIG: '/k1:/k2', GOENV: '/e' },
    ...{ OPENCODE_CONFIG: '/o.json', COPILOT_HOME: '/copilot', QWEN_HOME: '/qwen', FACTORY_HOME_OVERRIDE: '/factory' },
    ...{ GROK_HOME: '/grok', KIMI_CODE_HOME: '/kimi', KILO_CONFIG: '/kilo.json', CLINE_DIR: '/cline' },
    ...{ AMP_SETTINGS_FILE: '/amp.json', CRUSH_GLOBAL_CONFIG: '/crush', XDG_CONFIG_HOME: '/config' },
  };
  const expected = {
    ...{ claude: '/c/.claude.json', codex: '/x/config.toml', git: '/g', kubectl: '/k1', go: '/e', opencode: '/o.json' },
    ...{ copilot: '/copilot/mcp-config.json', qwen: '/qwen/settings.json', droid: '/factory/.factory/mcp.json' },
    ...{ grok: '/grok/config.toml', kimi: '/kimi/mcp.json', kilo: '/kilo.json', amp: '/amp.json' },
    ...{ cline: '/cline/data/settings/cline_mcp_settings.json', crush: '/crush/crushrc' },
    ...{ goose: '/config/goose/config.yaml', devin: '/config/devin/mcp_config.json' },
  };
  const found = places({ env });
  for (const [name, file] of Object.entries(expected)) assert.equal(found[name], file, name);
  assert.equal(places({ env: { ...env, CLINE_MCP_SETTINGS_PATH: '/own.json' } })['cline'], '/own.json');
  assert.equal(places({ env: { XDG_CONFIG_HOME: 'relative' } })['zed'], '/home/a/.config/zed/settings.json');
});

test('Claude Desktop on Windows: where its package is, the package’s own folder, whatever else is there', () => {
  const programs = { machine: machine({ platform: 'win32', homedir: 'C:\\Users\\a', env: {} }) };
  const [desktop] = allPrograms.filter(({ name }) => name === 'claude-desktop');
  assert.ok(desktop !== undefined);
  const sign = 'C:\\Users\\a\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc';
  const packaged = `${sign}\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`;
  const plain = 'C:\\Users\\a\\AppData\\Roaming\\Claude\\claude_desktop_config.json';
  const fileWith = (...there: readonly string[]) => {
    const files = { ...programFiles, exists: (path: string) => there.includes(path) };
    return configurationFile({ ...programs, files }, desktop, 'user');
  };
  assert.deepEqual(
    [fileWith(), fileWith(plain), fileWith(sign), fileWith(sign, plain), fileWith(sign, packaged, plain)],
    [plain, plain, packaged, packaged, packaged],
  );
});
