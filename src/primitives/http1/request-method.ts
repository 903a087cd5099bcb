/** Methods that requests may have: all that Node.js' own parser knows. Anything else is more likely no HTTP at all. */
const known: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY', 'SEARCH'],
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'REPORT', 'MKCALENDAR', 'ACL'],
  ...['BIND', 'REBIND', 'UNBIND', 'LINK', 'UNLINK', 'CHECKOUT', 'MERGE', 'MKACTIVITY', 'NOTIFY'],
  ...['SUBSCRIBE', 'UNSUBSCRIBE', 'M-SEARCH', 'PURGE', 'SOURCE'],
]);

export function isKnownMethod(method: string): boolean {
  return known.has(method);
}
