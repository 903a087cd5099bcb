import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import { toolFailed, toolMissing } from '../failures.js';
import type { RunCommands } from '../formats/entry.js';
import { type Tool, tools } from '../formats/tools.js';
import type { ExternalPrograms } from './external-programs.js';

/**
 * Runs a program's own commands on a copy of its file, which lies where backups do: so the file itself is replaced in one
 * step, and only where the outcome is as it should be.
 * @throws Failure `tool_missing`, `tool_failed`
 */
export function runCommands(world: ExternalPrograms, signal: AbortSignal): RunCommands {
  return async (text, format, commands) => {
    const tool = tools[format];
    if (tool === undefined || !(await isUsable(world, tool, signal))) throw toolMissing(tool?.command ?? format);
    const copy = join(world.machine.stateFolder, 'setup', `${crypto.randomUUID()}.backup`);
    try {
      await replacePrivateFile(copy, text);
      for (const words of commands(copy)) {
        const end = await runTool(world, tool, words, copy, signal);
        if (end.kind !== 'ended' || end.code !== 0)
          throw toolFailed(tool.command, 'stderr' in end ? end.stderr : end.kind);
      }
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(copy));
    } finally {
      await rm(copy, { force: true });
    }
  };
}

/** Is it on the PATH, and does it know what we need? */
export async function isUsable(world: ExternalPrograms, tool: Tool, signal: AbortSignal): Promise<boolean> {
  const { command, probe } = tool;
  if (world.find(command) === undefined) return false;
  if (probe === undefined) return true;
  const end = await runTool(world, tool, probe.words, '', signal);
  return end.kind === 'ended' && end.stdout.includes(probe.says);
}

/** From the home folder: nothing of a project decides what runs. */
function runTool(
  { machine, find, run }: ExternalPrograms,
  tool: Tool,
  words: readonly string[],
  file: string,
  signal: AbortSignal,
) {
  const env = { ...machine.env, ...tool.variables?.(file) };
  const command = [find(tool.command) ?? '', ...words];
  return run({ command, env, folder: machine.homedir, input: 'closed', limitMs: 10_000, signal });
}
