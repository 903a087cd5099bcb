/** How the head of a value in parts begins; values are JSON, which never does. */
export const headMark = 'postern-parts ';

/** Is this the head of a value in parts, and not a value? */
export function isHead(text: string): boolean {
  return text.startsWith(headMark);
}
