/**
 * Is a `Content-Type` value one of these media types, whatever its letter case and parameters (RFC 9110 section
 * 8.3.1)? Types are given in lower case. No header, and several values in one, are no media type.
 */
export function mediaTypeIs(headerValue: string | undefined, ...types: readonly string[]): boolean {
  const [essence = ''] = (headerValue ?? '').split(';', 1);
  return types.includes(essence.trim().toLowerCase());
}
