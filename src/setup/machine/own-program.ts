import { isAbsolute, join } from 'node:path';
import type { OwnProgram } from '../../core/ports.js';
import { statePaths } from '../../stores/paths.js';
import { programWords } from '../../stores/run-program.js';

/** Files without which logins cannot be read, or not refreshed, where the person has said so in the environment. */
const fileVariables = ['POSTERN_STORE_KEY_FILE', 'POSTERN_CA_FILE'] as const;

export interface ProgramStart {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** The launcher's absolute path. */
  readonly script: string;
}

/** This program, as another one starts it with an empty environment. @throws Failure `path_refused` */
export function ownProgram(options: ProgramStart): OwnProgram {
  const { env, platform, homedir, script } = options;
  const here = statePaths(env, platform, homedir);
  const usual = statePaths({}, platform, homedir);
  const variables: Record<string, string> = {
    ...(here.config === usual.config ? {} : { POSTERN_CONFIG_DIR: here.config }),
    ...(here.state === usual.state ? {} : { POSTERN_STATE_DIR: here.state }),
  };
  for (const name of fileVariables) {
    const path = env[name] ?? '';
    if (isAbsolute(path)) variables[name] = path;
  }
  return {
    platform,
    homedir,
    runtime: `${platform} ${process.arch}, Node.js ${process.versions.node}`,
    program: programWords(script),
    variables,
    writeShim: async (path, text, mark) => {
      const { noteShim, writeShimFile } = await import('./shims.js');
      const written = await writeShimFile(path, text, mark);
      await noteShim(join(here.state, 'setup'), written, text);
      return written;
    },
  };
}
