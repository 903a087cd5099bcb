/**
 * The cycles of a graph, each once, written from its first node back to it. Of cycles that share nodes at least
 * one is found.
 */
export function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, path: readonly string[]) => {
    const start = path.indexOf(node);
    if (start !== -1) {
      cycles.push([...path.slice(start), node]);
      return;
    }
    if (done.has(node)) {
      return;
    }
    for (const next of edges.get(node) ?? []) {
      visit(next, [...path, node]);
    }
    done.add(node);
  };
  for (const node of edges.keys()) {
    visit(node, []);
  }
  return cycles;
}
