import { lexSource } from './lexed-source.js';

/** A `return` that hands out an unfinished promise where something is to be let go, or caught, once it is finished. */
export interface EarlyReturn {
  readonly returned: string;
  /** What ends too soon. */
  readonly held: 'using' | 'try';
}

interface Block {
  readonly kind: 'function' | 'try' | 'other';
  /** Code of this block so far, every group in it as `()`, `{}` or `[]`. */
  text: string;
  /** Something was taken with `using` in this block. */
  using: boolean;
}

const openers: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[' };
const control = /^(?:if|for|while|switch|catch|with)$/;
const functionHead =
  /([\w$#\]]+)\s*(?:<[^;=]*>)?\(\)\s*(?::\s*[^;=(){}[\]]*(?:(?:\{\}|\[\]|\(\)\s*=>)[^;=(){}[\]]*)*)?$/;

/** The statement that a block's text ends with: no group in it holds anything. */
function lastOf(text: string): string {
  return text.slice(text.lastIndexOf(';') + 1);
}

function kindOf(head: string): Block['kind'] {
  if (/\btry\s*$/.test(head)) return 'try';
  if (/=>\s*$/.test(head)) return 'function';
  const name = functionHead.exec(head.slice(-300))?.[1];
  return name === undefined || control.test(name) ? 'other' : 'function';
}

/** Names of functions and methods that give a promise, in all of these sources. */
export function promiseNames(texts: Iterable<string>): ReadonlySet<string> {
  const patterns = [
    /\basync function (\w+)/g,
    /\b(\w+)\s*[:=]\s*async\b(?!\s*\*)/g,
    /\basync (#?\w+)\s*(?:<[^>]*>)?\(/g,
    /(?<![\w#])(#?\w+)\s*(?:<[^>]*>)?\([^()]*\)\s*:\s*Promise</g,
    /(?<![\w#])(#?\w+)\??: \([^()]*\) => Promise</g,
  ];
  const names = new Set<string>();
  for (const text of texts) {
    const { code } = lexSource(text);
    for (const pattern of patterns) for (const [, name] of code.matchAll(pattern)) names.add(name ?? '');
  }
  return names;
}

/** Every such `return` in one source. */
export function earlyReturnsIn(text: string, promises: ReadonlySet<string>): readonly EarlyReturn[] {
  const { code } = lexSource(text);
  if (!/\b(?:using|try)\s/.test(code)) return []; // nothing is held there
  const blocks: Block[] = [{ kind: 'function', text: '', using: false }];
  const found: EarlyReturn[] = [];
  const top = () => blocks.at(-1) as Block;
  /** A statement has ended: does it take something, does it hand something out? */
  const endStatement = () => {
    const statement = lastOf(top().text);
    if (/\busing [\w$]+\s*=/.test(statement)) top().using = true;
    const returned = /(?:^|[\s)])return\b(.*)$/s.exec(statement)?.[1]?.trim() ?? '';
    if (isUnfinished(returned, promises)) keepReturn(returned);
  };
  const keepReturn = (returned: string) => {
    for (const block of blocks.toReversed()) {
      if (block.using) {
        found.push({ returned, held: 'using' });
        return;
      }
      if (block.kind === 'try') {
        found.push({ returned, held: 'try' });
        return;
      }
      if (block.kind === 'function') return;
    }
  };
  for (const [, text = '', character = ''] of code.matchAll(/([^(){}[\];]*)([(){}[\];]?)/g)) {
    top().text += text;
    if ('({['.includes(character) && character !== '') {
      const kind = character === '{' ? kindOf(lastOf(top().text)) : 'other';
      blocks.push({ kind, text: '', using: false });
    } else if (character === ';') {
      endStatement();
      top().text += character;
    } else if (character !== '') {
      if (character === '}') endStatement();
      if (blocks.length > 1) blocks.pop();
      top().text += openers[character] + character;
    }
  }
  return found;
}

/** Does the expression call something that gives a promise, and not wait for it? Groups in it are empty. */
function isUnfinished(returned: string, promises: ReadonlySet<string>): boolean {
  if (/^new Promise\b|^Promise\./.test(returned)) return true;
  return [...returned.matchAll(/(await\s+)?((?:[\w$#]|\?\.|\.|\(\)(?=\.)|!)*?)([\w$#]+)(?:<[^()]*>)?\(\)/g)].some(
    ([, waited, , name]) => waited === undefined && promises.has(name ?? ''),
  );
}
