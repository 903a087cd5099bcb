import { closest } from '../../core/text/closest.js';
import { usageWrong } from '../../core/usage-failures.js';
import { programUnknown } from '../failures.js';
import { accessPrograms } from './access-programs.js';
import { readHeaderLine } from './answers.js';
import { buildPrograms } from './build-programs.js';
import { headersPrograms } from './headers-programs.js';
import { type Program, shellLine } from './program.js';
import { stdioPrograms } from './stdio-programs.js';

/**
 * curl can ask no program for a header, and a token in `.curlrc` would be a copy on disk that goes to every server:
 * there is a command line instead, with the token in a pipe and in no argument.
 */
export const curl: Program = {
  name: 'curl',
  title: 'curl',
  way: 'credential',
  commands: ['curl'],
  files: () => [],
  calls: ['credential', 'curl'],
  make: () => undefined,
  reads: readHeaderLine,
  next: '',
  line: ({ machine, url }, words) => {
    const ours = shellLine(machine.platform, words);
    const theirs = shellLine(machine.platform, ['curl', '--config', '-', url]);
    return ours === undefined || theirs === undefined ? undefined : `${ours} | ${theirs}`;
  },
};

/** Every program whose configuration is known here. */
export const programs: readonly Program[] = [
  ...headersPrograms,
  ...stdioPrograms,
  ...accessPrograms,
  ...buildPrograms,
  curl,
];

/** The program of that name. @throws Failure `program_unknown`, `usage_wrong` */
export function programNamed(name: string | undefined): Program {
  if (name === undefined) throw usageWrong('No program was named.', 'postern setup --list');
  const names = programs.map((program) => program.name);
  const program = programs.find((one) => one.name === name.toLowerCase());
  if (program === undefined) throw programUnknown(name, closest(name, names), names);
  return program;
}
