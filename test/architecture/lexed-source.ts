/** TypeScript source in which only code is left. */
export interface LexedSource {
  /** Comments, regular expressions and template text are blank, each string is `"<index>"`. */
  readonly code: string;
  readonly strings: readonly string[];
  /** The text of templates, between their expressions. */
  readonly templates: readonly string[];
}

/** What may stand before a regular expression; before a division stands a value. */
const beforeRegex = /(?:^|[=([{,;:!&|?+\-*%~^<>]|\breturn|\btypeof)\s*$/;
const regexLiteral = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const comment = /\/\/[^\n]*|\/\*.*?\*\//sy;
const stringLiteral = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/y;
/** What has no meaning for where strings, comments, templates and regular expressions begin and end. */
const plain = /[^/'"`{}]+/y;
const templateText = /(?:[^`\\$]|\\.|\$(?!\{))*/sy;

const lexed = new Map<string, LexedSource>();

/** Takes strings, comments, templates and regular expressions out, so that code can be searched by pattern. */
export function lexSource(text: string): LexedSource {
  const known = lexed.get(text);
  if (known !== undefined) return known;
  const made = lex(text);
  lexed.set(text, made); // several rules look at each source
  return made;
}

function lex(text: string): LexedSource {
  const strings: string[] = [];
  const templateTexts: string[] = [];
  let code = '';
  let at = 0;
  /** Open braces of each template expression that we are in. */
  const templates: number[] = [];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  const readTemplate = () => {
    templateTexts.push(take(templateText)?.[0] ?? '');
    if (text.startsWith('${', at)) {
      templates.push(0);
      at += 2;
    } else {
      at += 1;
    }
  };
  while (at < text.length) {
    code += take(plain)?.[0] ?? '';
    const character = text[at] ?? '';
    if (character === '/' && take(comment) !== null) {
      code += ' ';
      continue;
    }
    const literal = character === '"' || character === "'" ? take(stringLiteral) : null;
    if (literal !== null) {
      code += `"${strings.push(literal[1] ?? literal[2] ?? '') - 1}"`;
      continue;
    }
    if (character === '/' && beforeRegex.test(code.slice(-40)) && take(regexLiteral) !== null) {
      code += ' 0 ';
      continue;
    }
    at += 1;
    const depth = templates.at(-1);
    if (character === '`' || (character === '}' && depth === 0)) {
      code += ' ';
      if (character === '}') templates.pop();
      readTemplate();
      continue;
    }
    if (depth !== undefined && (character === '{' || character === '}')) {
      templates[templates.length - 1] = depth + (character === '{' ? 1 : -1);
    }
    code += character;
  }
  return { code, strings, templates: templateTexts };
}
