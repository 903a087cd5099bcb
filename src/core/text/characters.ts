/** One or more NQCHAR (RFC 6749 appendix A.4): a scope token has these and no others. */
export function isNqcharText(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/** One or more VSCHAR (RFC 6749 appendix A): a code, state, client identifier or client secret. */
export function isVscharText(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/**
 * The characters taken in an access or refresh token: no control, space, double quote, backslash or
 * non-ASCII. Narrower than RFC 6749 appendix A.12, wider than RFC 6750's b64token: it is what can stand in a
 * header and in each of the formats that tokens are handed on in.
 */
export function isTokenText(text: string): boolean {
  return isNqcharText(text);
}

/** Visible ASCII, space and tab: a header field value that no peer reads differently (RFC 9110 section 5.5). */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}

/** A header field name, which is a token (RFC 9110 section 5.1). */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/**
 * Is a `Content-Type` value one of these media types, whatever its letter case and parameters (RFC 9110 section
 * 8.3.1)? Types are given in lower case. No header, and several values in one, are no media type.
 */
export function mediaTypeIs(headerValue: string | undefined, ...types: readonly string[]): boolean {
  const [essence = ''] = (headerValue ?? '').split(';', 1);
  return types.includes(essence.trim().toLowerCase());
}
