import type { Program } from './program.js';
import { agents } from './stdio/agents.js';
import { desktops } from './stdio/desktops.js';
import { editors } from './stdio/editors.js';
import { stdioProgram } from './stdio/stdio-program.js';

/** Programs that start a command and speak the protocol with it. */
export const stdioPrograms: readonly Program[] = [...desktops, ...editors, ...agents].map(stdioProgram);
