/** The circles of a graph: each a set of nodes that all lead to one another, in alphabetical order (Tarjan's way). */
export function circlesIn(edges: ReadonlyMap<string, Iterable<string>>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const low = (node: string) => lowest.get(node) ?? 0;
  const visit = (node: string) => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(node, Math.min(low(node), low(next)));
    }
    if (low(node) !== order.get(node)) return;
    const circle = path.splice(path.indexOf(node));
    if (circle.length > 1 || [...(edges.get(node) ?? [])].includes(node)) circles.push(circle.sort());
  };
  for (const node of edges.keys()) {
    if (!order.has(node)) visit(node);
  }
  return circles.sort();
}
