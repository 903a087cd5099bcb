import { columnsOf, commandLine, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import type { Block, Row } from './blocks.js';

/** Lines of blocks, with an empty line between them but below a heading. */
export function linesOf(look: Look, blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block, at) => {
    const isTight = at === 0 || blocks[at - 1]?.kind === 'heading';
    return [...(isTight ? [] : ['']), ...blockLines(look, block)];
  });
}

function blockLines(look: Look, block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return wrapped(block.text, look.width).map((line) => toned(look, 'strong', line));
    case 'paragraph':
      return wrapped(inTones(look, block.text), look.width);
    case 'code':
      return block.lines.map((line) => commandLine(toned(look, 'name', line), look.width, 2));
    case 'items':
      return block.lines.flatMap((line) => {
        const [first = '', ...others] = wrapped(inTones(look, line), look.width, 4);
        return [`  - ${first.trimStart()}`, ...others];
      });
    case 'terms':
      return labelled(look, block.rows, 0.36);
    case 'examples':
      return labelled(look, block.rows, 0.65);
  }
}

/** Text between backticks is a name. */
function inTones(look: Look, text: string): string {
  return text.replace(/`([^`]*)`/g, (_, name: string) => toned(look, 'name', name));
}

/**
 * Labels on the left, texts on the right; on a narrow terminal, or beside a long label, the text stands below. Labels stay
 * whole, since commands are copied.
 * @param share Of the width, at most that much for the labels.
 */
function labelled(look: Look, rows: readonly Row[], share: number): readonly string[] {
  const max = Math.max(16, Math.floor(look.width * share));
  const fitting = rows.map(([label]) => columnsOf(label)).filter((columns) => columns <= max);
  const column = Math.max(0, ...fitting);
  const room = look.width - column - 4;
  const isNarrow = room < (fitting.length < rows.length ? 34 : 24);
  const indent = isNarrow || room * 2 < look.width ? 6 : column + 4;
  return rows.flatMap(([label, plain]) => {
    const text = inTones(look, plain);
    const isBelow = isNarrow || columnsOf(label) > column;
    const name = toned(look, 'name', isNarrow ? label.trim() : label);
    if (isBelow) return [commandLine(name, look.width, 2), ...wrapped(text, look.width, indent)];
    const [first = '', ...others] = wrapped(text, look.width, column + 4);
    return [`  ${name}${first.slice(columnsOf(label) + 2)}`.trimEnd(), ...others];
  });
}

/** How a command is typed; what does not fit goes on below. */
export function usageLines(look: Look, usage: string): readonly string[] {
  const [first = '', ...others] = wrapped(`Usage: ${usage}`, look.width - 4);
  return [first.replace('Usage:', toned(look, 'strong', 'Usage:')), ...others.map((line) => `    ${line}`)];
}
