/**
 * Does the person ask for this, before `--`? For what must be known before the command line is parsed, or when it
 * cannot be.
 */
export function asks(argv: readonly string[], ...names: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => names.includes(word));
}
