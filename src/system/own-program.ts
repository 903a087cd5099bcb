import type { OwnProgram } from '../ports/callers.js';
import { statePaths } from './state/paths.js';

/** This program, as another one starts it with an empty environment. @throws Failure `path_refused` */
export function ownProgram(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly homedir: string;
  /** The launcher's absolute path. */
  readonly script: string;
}): OwnProgram {
  const { env, platform, homedir, script } = options;
  const here = statePaths(env, platform, homedir);
  const usual = statePaths({}, platform, homedir);
  const variables = {
    ...(here.config === usual.config ? {} : { POSTERN_CONFIG_DIR: here.config }),
    ...(here.state === usual.state ? {} : { POSTERN_STATE_DIR: here.state }),
  };
  return {
    platform,
    program: [process.execPath, script],
    variables,
    writeShim: async (path, text, mark) =>
      (await import('./program-file.js')).writeProgramFile(path, text, mark),
  };
}
