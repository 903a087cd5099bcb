/** What cannot run under wine, as seen on 2026-11-23 with wine 8.0 and Node.js 20.20.2, and why. */
export interface LeftOut {
  /** Of `test/`, without `.test.ts`. */
  readonly file: string;
  /** Its test; undefined: none of the file is started. */
  readonly test?: string;
  readonly why: string;
}

const why = {
  quotes: 'it expects words that are quoted for a POSIX shell; test/core/text/windows-words has those for Windows',
  modes: 'it makes files that others may read or write, by modes; Windows has access lists',
  links: 'wine shows symbolic links as what they lead to',
  bus: 'it listens on Unix sockets',
  linux: 'its machine has a home of Linux; test/windows/files sets up programs on Windows',
  sh: 'its programs are lines for sh',
  deleted: 'in wine a file that is still open keeps its name after it was deleted',
} as const;

export const leftOut: readonly LeftOut[] = [
  {
    file: 'stores/state/attempts',
    test: 'a file of attempts that is not understood counts as none; one that others can write is refused',
    why: why.modes,
  },
  {
    file: 'stores/sealed-files/file-store',
    test: 'links, and files or folders that others have access to, are refused and never followed [A-201] [A-202]',
    why: why.modes,
  },
  {
    file: 'app/help/welcome',
    test: 'postern alone shows the logins, which of them need a person, and what to type with the first',
    why: why.quotes,
  },
  {
    file: 'core/configuration/configuration',
    test: 'a file that others can write, a link, a folder, or one in such a folder is refused; one they can read is not [A-266]',
    why: why.modes,
  },
  {
    file: 'setup/guarded',
    test: 'a record or backup that another could have written, or larger than any, is not gone by [A-266]',
    why: why.modes,
  },
  {
    file: 'setup/guarded',
    test: 'a shim takes the place of a shim alone: never of a folder, a link or anybody’s own file',
    why: why.modes,
  },
  {
    file: 'setup/program-files',
    test: 'what is no plain file of this user’s is left alone, and why is said [A-266]',
    why: why.links,
  },
  { file: 'stores/keychain/open-item', why: why.bus },
  {
    file: 'stores/run-program',
    test: 'a program ends with its code, both streams and what it was given; only what is asked for is read',
    why: why.sh,
  },
  {
    file: 'stores/run-program',
    test: '[A-195] time-out, too much output and the signal kill a program with all that it has started',
    why: why.sh,
  },
  {
    file: 'stores/run-program',
    test: 'a program that outlives the wait is left alone: after the limit, and after the signal',
    why: why.sh,
  },
  {
    file: 'stores/state/tool-lists',
    test: 'a file that others could write, or that is none of ours, tells of no tools',
    why: why.modes,
  },
  {
    file: 'tokens/recovery',
    test: '[A-136] a sealed answer is judged when it is found as one that has just come: for whom it is, of which login, and whether it is one',
    why: why.deleted,
  },
  {
    file: 'tokens/step-up',
    test: '[R-5.6b] a scope that was left unticked is not asked for again: one tab, and the command that asks for it',
    why: why.quotes,
  },
  {
    file: 'app/explain',
    test: 'a remedy that logs in repeats the server and what was typed for its login, and nothing that should not be shown',
    why: why.quotes,
  },
  {
    file: 'app/explain',
    test: 'a failure that a server has caused names the command that finds out why, unless it leads on itself',
    why: why.quotes,
  },
  {
    file: 'app/explain',
    test: 'a mistyped word is answered with the whole line as it was meant, unless that holds what may be a secret',
    why: why.quotes,
  },
  {
    file: 'oauth/discovery-addresses',
    test: 'a wrong address: the nearest one with metadata of its own is named in the whole corrected line, and nothing is opened',
    why: why.quotes,
  },
  {
    file: 'stores/state/recovery',
    test: 'a sealed file that others can read, or that is a link, is not used',
    why: why.modes,
  },
  { file: 'setup/write-undo', why: why.linux },
];
