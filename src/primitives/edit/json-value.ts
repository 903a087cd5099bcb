import { type JsonNode, type JsonObjectNode, jsonTree, memberOf } from './json-tree.js';

/** The value of a node; commas and comments inside of it aside. Undefined where a name occurs twice. */
export function nodeValue(text: string, node: JsonNode): unknown {
  if (node.kind === 'object') {
    const pairs: [string, unknown][] = node.members.map(({ name, value }) => [name, nodeValue(text, value)]);
    return Object.fromEntries(pairs);
  }
  return JSON.parse(withoutTrivia(text.slice(node.start, node.end)));
}

/** What stands at that path, the text being JSON with comments; undefined where there is nothing or no such text. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  const root = jsonTree(text);
  let node: JsonNode | undefined = root;
  for (const name of path) {
    const member: ReturnType<typeof memberOf> =
      node?.kind === 'object' ? memberOf(node as JsonObjectNode, name) : undefined;
    node = member === 'duplicate' ? undefined : member?.value;
  }
  return node === undefined ? undefined : nodeValue(text, node);
}

/** A JSON text with its comments and its commas before closing brackets taken out. */
function withoutTrivia(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part.startsWith('"') ? part : ' '));
}
