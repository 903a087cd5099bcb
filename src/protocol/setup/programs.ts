import { accessPrograms } from './access-programs.js';
import { buildPrograms } from './build-programs.js';
import { curl } from './curl.js';
import { headersPrograms } from './headers-programs.js';
import type { Program } from './program.js';
import { stdioPrograms } from './stdio-programs.js';

/** Every program whose configuration is known here. */
export const programs: readonly Program[] = [
  ...headersPrograms,
  ...stdioPrograms,
  ...accessPrograms,
  ...buildPrograms,
  curl,
];
