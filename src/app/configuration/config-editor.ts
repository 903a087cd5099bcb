import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigWorld } from '../../config/change.js';
import { exitCode, Failure, systemCode } from '../../core/failure.js';
import { quoted } from '../../core/text/printable.js';
import type { Programs } from '../../credential/exec-program.js';
import { replaceFile } from '../../stores/state/safe-file.js';

/** Writes the configuration file, and has a person edit a copy of it. */
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
        throw new Failure({
          code: 'file_unwritable',
          exit: exitCode.usage,
          message: `${quoted(path, 200)} cannot be written (${systemCode(cause)}).`,
          remedy: 'Make its folder yours and writable, or name another with POSTERN_CONFIG_DIR.',
          cause,
        });
      }
    },
    editText: async (text) => {
      const [program, ...words] = editorOf(env);
      await mkdir(folder(), { recursive: true, mode: 0o700 });
      const path = join(folder(), `config.edited-${randomBytes(4).toString('hex')}.json`);
      const remove = () => rm(path, { force: true });
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      try {
        const ended = await programs.run({ program, args: [...words, path], secrets: {} });
        if (ended !== 0) throw editorFailed(program, ended);
        return { text: readFileSync(path, 'utf8'), path, remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}

/** Started as it is, without a shell: its words are what blanks part. @throws Failure `usage_wrong` */
function editorOf(env: Readonly<Record<string, string | undefined>>): readonly [string, ...string[]] {
  const [program, ...words] = (env['VISUAL'] || env['EDITOR'] || '').trim().split(/\s+/);
  if (program !== undefined && program !== '' && (program.startsWith('/') || !/[\\/]/.test(program))) {
    return [program, ...words];
  }
  throw new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: 'Neither VISUAL nor EDITOR names a program, by its name or its absolute path.',
    remedy: 'Set it, as in: EDITOR=nano postern config edit',
  });
}

function editorFailed(program: string, ended: number): Failure {
  return new Failure({
    code: 'editor_failed',
    exit: exitCode.usage,
    message: `${quoted(program, 100)} ended with ${ended}; nothing was changed.`,
    remedy: 'To begin again: postern config edit',
  });
}
