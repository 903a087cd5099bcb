import { dirname, join } from 'node:path/posix';
import { importsOf } from '../architecture/imports.js';

/**
 * What a test at the outside may import of `src/`: what runs a command line, the commands and ports of the rooms, what
 * listens on a wire, the words that results are made of, and the sandbox. What `test/support` imports is not looked at:
 * it is there so that tests need no more than this.
 */
const faces: readonly RegExp[] = [
  /^src\/(?:main|hot-path|demo)\.ts$/,
  /^src\/app\/(?:run|registry|context|relay-origins)\.ts$/,
  /\.command\.ts$/,
  /\/ports\.ts$/,
  /^src\/sandbox\//,
  /^src\/core\/(?:failure|limits|records|secret)\.ts$/,
  /^src\/http\/client\.ts$/,
  /^src\/(?:core\/configuration\/redirect-uri|login\/browser\/callback-listener)\.ts$/,
  /^src\/proxy\/server\.ts$/,
  /^src\/stores\/(?:index\/credential-index|stores|paths)\.ts$/,
];

/** Each file under `test/`, from the repository's root, and its text. */
export type TestFiles = ReadonlyMap<string, string>;

/** The modules of `src/` below the faces that a test imports, itself or by a helper that is not in `test/support`. */
export function innerModulesOf(file: string, files: TestFiles): readonly string[] {
  const seen = new Set([file]);
  for (const each of seen) {
    if (each.startsWith('src/') || each.startsWith('test/support/')) continue;
    for (const { target, when } of importsOf(files.get(each) ?? '')) {
      if (target?.startsWith('.') && when !== 'type') seen.add(join(dirname(each), target).replace(/\.js$/, '.ts'));
    }
  }
  return [...seen].filter((each) => each.startsWith('src/') && !faces.some((face) => face.test(each))).sort();
}

/** The ids (`R-1.2`, `Q-2.3`, `A-4`) that some test shows, and those of them that tests at the outside show. */
export function shownIds(files: TestFiles, idsNamedIn: (text: string) => readonly string[]) {
  const all = new Set<string>();
  const outside = new Set<string>();
  for (const [file, text] of files) {
    const ids = idsNamedIn(text);
    for (const id of ids) all.add(id);
    if (ids.length > 0 && innerModulesOf(file, files).length === 0) for (const id of ids) outside.add(id);
  }
  return { all, outside };
}
