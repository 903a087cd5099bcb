/** One or more NQCHAR (RFC 6749 appendix A.4): the characters of a scope token. */
export function isNqcharText(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/** One or more VSCHAR (RFC 6749 appendix A): a code, state, client identifier or client secret. */
export function isVscharText(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/**
 * The characters accepted in access and refresh tokens: no control, space, double quote, backslash or non-ASCII. Narrower
 * than RFC 6749 appendix A.12, wider than RFC 6750's b64token: they are safe in a header and in every credential format.
 */
export function isTokenText(text: string): boolean {
  return isNqcharText(text);
}

/** Visible ASCII, space and tab: a header field value that all peers read alike (RFC 9110 section 5.5). */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}

/** A header field name (RFC 9110 section 5.1). */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/**
 * Whether a `Content-Type` value is one of these media types, ignoring case and parameters (RFC 9110 section 8.3.1). `types`
 * are in lower case. A missing header, or several values in one, is no media type.
 */
export function mediaTypeIs(headerValue: string | undefined, ...types: readonly string[]): boolean {
  const [essence = ''] = (headerValue ?? '').split(';', 1);
  return types.includes(essence.trim().toLowerCase());
}
