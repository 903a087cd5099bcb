import { headerRefused, methodRefused } from '../../errors/network.js';

type Header = readonly [name: string, value: string];

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Field values as RFC 9110 section 5.5 has them: visible characters, blank, tab, bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names that are the connection's own business (RFC 9110 section 7.6.1) or would misdirect a request. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers to send, name and value in turn: the caller's, `user-agent` and `accept-encoding: identity`
 * unless the caller gives its own. Judged here, because undici's own error quotes the value.
 * @throws Failure `header_refused`, which does not hold the value
 */
export function requestHeaders(given: readonly Header[], userAgent: string): string[] {
  for (const [name, value] of given) {
    if (!token.test(name))
      throw headerRefused(name, 'its name holds a character that no header name may hold');
    if (reserved.has(name.toLowerCase()))
      throw headerRefused(name, 'the program sets it itself, or HTTP does');
    if (!fieldValue.test(value))
      throw headerRefused(name, 'its value holds a character that no header may hold');
  }
  const defaults: readonly Header[] = [
    ['user-agent', userAgent],
    ['accept-encoding', 'identity'],
  ];
  const missing = defaults.filter(([name]) => !given.some(([other]) => other.toLowerCase() === name));
  return [...missing, ...given].flat();
}

/** @throws Failure `method_refused` */
export function checkMethod(method: string): void {
  if (!token.test(method) || method === 'CONNECT') throw methodRefused(method);
}

/** Whether the caller asked for a coding itself: then it gets the answer as it comes, undecoded. */
export function asksForCoding(given: readonly Header[]): boolean {
  return given.some(([name, value]) => name.toLowerCase() === 'accept-encoding' && value !== 'identity');
}
