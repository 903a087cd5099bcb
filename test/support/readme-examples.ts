/** A command line that a text shows. */
export interface Example {
  /** As it stands there, without the comment behind it. */
  readonly command: string;
  readonly line: number;
}

/** Programs that examples begin with; other code in a sentence is no command line. */
const programs = /^(?:npm|postern|curl)\s/;

/** The command lines of a Markdown text, in order: each line of an `sh` block, and code in sentences that begins with a program. */
export function examplesOf(markdown: string): readonly Example[] {
  const examples: Example[] = [];
  let inBlock = false;
  for (const [at, text] of markdown.split('\n').entries()) {
    const line = at + 1;
    if (text.startsWith('```')) inBlock = text === '```sh';
    else if (inBlock) examples.push({ command: withoutComment(text), line });
    else {
      const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      examples.push(...codes.filter((code) => programs.test(code)).map((command) => ({ command, line })));
    }
  }
  return examples.filter(({ command }) => command !== '');
}

/** A comment stands behind at least two blanks. */
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s{2,})#\s.*$/, '').trim();
}
