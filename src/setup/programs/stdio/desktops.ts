import type { Machine } from '../../machine/ports.js';
import { inApplications, inHome, join, pathIn } from '../program.js';
import type { StdioProgram } from './stdio-program.js';

/** Programs with a window of their own that are no editors. */
export const desktops: readonly StdioProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    commands: ['claude-desktop'],
    files: (machine) => [inApplications(machine, 'Claude', 'claude_desktop_config.json')],
    installed: (machine) => (machine.platform === 'win32' ? [packagedClaude(machine)] : []),
    list: ['mcpServers'],
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'lm-studio',
    title: 'LM Studio',
    commands: ['lms'],
    files: (machine) => [
      inHome(machine, '.lmstudio', 'mcp.json'),
      inHome(machine, '.cache', 'lm-studio', 'mcp.json'), // installations of before 0.3.6
    ],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'LM Studio reads it by itself; look at Program, Install, Edit mcp.json.',
  },
];

/** Since February 2026 Windows installs it as a package, whose own folder stands in for `%APPDATA%`: it reads nothing there. */
function packagedClaude(machine: Machine): { readonly sign: string; readonly file: string } {
  const local = pathIn(machine, 'LOCALAPPDATA') ?? inHome(machine, 'AppData', 'Local');
  const sign = join(machine, local, 'Packages', 'Claude_pzs8sxrjxfjjc');
  return { sign, file: join(machine, sign, 'LocalCache', 'Roaming', 'Claude', 'claude_desktop_config.json') };
}
