import { accessPrograms } from './access-programs.js';
import { buildPrograms } from './build-programs.js';
import { headersPrograms } from './headers-programs.js';
import { readHeaderLine } from './probe.js';
import { callWords, type Program, shellLine } from './program.js';
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
  make: () => ({ ok: false, problem: 'words' }),
  leftovers: () => [],
  probe: ({ machine, server, options }) => ({
    command: callWords(machine, { command: ['credential', 'curl'], server, options }),
    input: 'closed',
    environment: 'whole',
    variables: {},
    read: readHeaderLine,
  }),
  next: '',
  line: ({ machine, server, options, url }) => {
    const words = callWords(machine, { command: ['credential', 'curl'], server, options });
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
