import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigWorld } from '../config/change.js';
import { exitCode, Failure, systemCode } from '../core/failure.js';
import { configurationUnsafe, configurationUnusable, usageWrong } from '../core/failures.js';
import { accessProblem } from '../core/files.js';
import { quoted } from '../core/text/printable.js';
import { isWholePath, isWindows } from '../core/text/system.js';
import type { Programs } from '../credential/exec-program.js';
import { fileUnwritable } from '../setup/failures.js';
import { replaceFile } from '../stores/state/safe-file.js';

const longestConfiguration = 256 * 1024;

/**
 * The user's `config.json`, if it exists. It holds no secret: others may read it, but not write it. It must be a plain file,
 * no link, owned by the user or the system, in such a folder.
 * @throws Failure `configuration_unusable`
 */
export function readConfigFile(folder: string): { readonly path: string; readonly bytes: Uint8Array } | undefined {
  const path = join(folder, 'config.json');
  try {
    // In a folder that is closed to others, no other user can replace the file meanwhile.
    const why = openToOthers(statSync(folder));
    if (why !== undefined) throw configurationUnsafe(folder, why);
    const problem = fileProblem(lstatSync(path));
    if (problem !== undefined) throw configurationUnsafe(path, problem);
    const bytes = readFileSync(path);
    if (bytes.length <= longestConfiguration) return { path, bytes: withoutMark(bytes) };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    throw code.startsWith('E') ? configurationUnusable(path, `it cannot be opened (${code})`) : error;
  }
  throw configurationUnusable(path, `it is larger than ${longestConfiguration} bytes`);
}

function fileProblem(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link';
  return stats.isFile() ? openToOthers(stats) : 'it is not a plain file';
}

function openToOthers(stats: Stats): string | undefined {
  return accessProblem(stats, process.geteuid?.(), { orRoots: true, denied: 0o022 });
}

/** Notepad and PowerShell put a byte order mark before UTF-8. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const isMarked = [0xef, 0xbb, 0xbf].every((byte, at) => bytes[at] === byte);
  return isMarked ? bytes.subarray(3) : bytes;
}

/** Writes the configuration file, and opens a copy of it in the user's editor. */
export function createConfigEditor(
  folder: () => string,
  env: Readonly<Record<string, string | undefined>>,
  programs: Programs,
): Pick<ConfigWorld, 'writeConfiguration' | 'editText'> {
  return {
    writeConfiguration: async (text) => {
      const path = join(folder(), 'config.json');
      try {
        await mkdir(folder(), { recursive: true, mode: 0o700 });
        const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o755;
        await replaceFile(path, text, mode, join(folder(), `.config.json.${randomBytes(8).toString('hex')}`));
      } catch (cause) {
        throw fileUnwritable(path, systemCode(cause));
      }
    },
    editText: async (text) => {
      const [program, ...words] = editorOf(env, isWindows);
      await mkdir(folder(), { recursive: true, mode: 0o700 });
      const path = join(folder(), `config.edited-${randomBytes(4).toString('hex')}.json`);
      const remove = () => rm(path, { force: true });
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      try {
        const ended = await programs.run({ program, args: [...words, path], secrets: {} });
        if (ended !== 0) {
          const message = `${quoted(program, 100)} ended with ${ended}; nothing was changed.`;
          const remedy = 'To begin again: postern config edit';
          throw new Failure({ code: 'editor_failed', exit: exitCode.usage, message, remedy });
        }
        return { text: readFileSync(path, 'utf8'), path, remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}

/**
 * Splits the editor's command line at blanks, outside quotes; no shell runs it.
 * @throws Failure `usage_wrong`
 */
export function editorOf(
  env: Readonly<Record<string, string | undefined>>,
  windows: boolean,
): readonly [string, ...string[]] {
  const line = env['VISUAL'] || env['EDITOR'] || (windows ? 'notepad' : '');
  const words = [...line.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quotedWord, plain]) => quotedWord ?? plain ?? '');
  const [program = '', ...others] = words;
  const isWhole = windows ? isWholePath(program) : program.startsWith('/');
  if (isWhole || (program !== '' && !/[\\/]/.test(program))) return [program, ...others];
  const message = 'Neither VISUAL nor EDITOR names a program, by its name (EDITOR=nano) or its absolute path.';
  throw usageWrong(message, 'postern config --help');
}
