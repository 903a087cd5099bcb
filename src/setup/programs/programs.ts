import { closest } from '../../core/text/closest.js';
import { usageWrong } from '../../core/usage-failures.js';
import { programUnknown } from '../failures.js';
import { accessPrograms, curl } from './access-programs.js';
import { buildPrograms } from './build-programs.js';
import { crush } from './crush.js';
import { headersPrograms } from './headers-programs.js';
import type { Program } from './program.js';
import { stdioPrograms } from './stdio-programs.js';

/** Every program whose configuration is known here. */
export const programs: readonly Program[] = [
  ...headersPrograms,
  ...stdioPrograms,
  crush,
  ...accessPrograms,
  ...buildPrograms,
  curl,
];

/** The program of that name. @throws Failure `program_unknown`, `usage_wrong` */
export function programNamed(name: string | undefined): Program {
  if (name === undefined) throw usageWrong('No program was named.', 'postern setup --list');
  const names = programs.map((program) => program.name);
  const program = programs.find((one) => one.name === name.toLowerCase());
  if (program === undefined) throw programUnknown(name, closest(name, names));
  return program;
}
