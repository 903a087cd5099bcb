/** The first event of a stream of the older transport (HTTP+SSE, revision 2024-11-05), and where it names its address. */
export interface EndpointEvent {
  readonly before: string;
  readonly address: string;
  readonly after: string;
}

const beginnings = ['event: endpoint', 'event:endpoint'];
/** In characters; a first event that is longer names no address. */
const longest = 8_192;

/**
 * Looks whether an event stream begins with the event that names the address for messages. 'more': it may, and its end
 * has not come; undefined: it does not, and nothing has to be held.
 * @param text The beginning of the stream, one character a byte.
 */
export function readEndpointEvent(text: string): EndpointEvent | 'more' | undefined {
  const beginning = beginnings.find((each) => each.startsWith(text.slice(0, each.length)));
  if (beginning === undefined || text.length > longest) return undefined;
  if (text.length <= beginning.length) return 'more';
  if (!/^[\r\n]/.test(text.slice(beginning.length))) return undefined;
  const end = text.search(/\r\n\r\n|\n\n|\r\r/);
  if (end === -1) return 'more';
  const [first, second] = text.slice(0, end).matchAll(/[\r\n]data: ?([^\r\n]*)/g);
  if (first === undefined || second !== undefined) return undefined;
  const [line, address = ''] = first;
  const from = first.index + line.length - address.length;
  return { before: text.slice(0, from), address, after: text.slice(from + address.length) };
}
