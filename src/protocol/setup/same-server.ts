import { canonicalResource } from '../../primitives/resource.js';

/** Do both addresses name one server, however they are spelled? */
export function sameServer(one: string, other: string): boolean {
  const [first, second] = [canonicalResource(one), canonicalResource(other)];
  return first.ok && second.ok && trimmed(first.value) === trimmed(second.value);
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}
