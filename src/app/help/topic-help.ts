import { wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { type Block, blocksOf } from './blocks.js';
import { copyLines, labelled } from './parts.js';
import type { Topic } from './topics.js';

/** Lines of `postern help <topic>`. */
export function topicHelp(look: Look, { summary, text }: Topic): readonly string[] {
  return [
    ...wrapped(summary, look.width).map((line) => toned(look, 'strong', line)),
    ...blocksOf(text).flatMap((block) => ['', ...blockLines(look, block)]),
  ];
}

function blockLines(look: Look, block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return wrapped(block.text, look.width).map((line) => toned(look, 'strong', line));
    case 'paragraph':
      return wrapped(inTones(look, block.text), look.width);
    case 'code':
      return block.lines.flatMap((line) => copyLines(look, line));
    case 'items':
      return block.lines.flatMap((line) => {
        const [first = '', ...others] = wrapped(inTones(look, line), look.width, 4);
        return [`  - ${first.trimStart()}`, ...others];
      });
    case 'terms':
      return labelled(
        look,
        block.rows.map(([term, text]) => [term, inTones(look, text)]),
      );
  }
}

/** What stands between backticks is a name. */
function inTones(look: Look, text: string): string {
  return text.replace(/`([^`]*)`/g, (_, name: string) => toned(look, 'name', name));
}
