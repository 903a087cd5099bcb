/** Has the head of the answer come that go passes on? */
export function isWholeHead(bytes: Uint8Array): boolean {
  return /\r?\n\r?\n/.test(new TextDecoder('latin1').decode(bytes));
}

/** Did the server refuse the credential? go asks again after any 4xx, most of which mean something else. */
export function isRefusal(head: Uint8Array): boolean {
  return /^HTTP\/[0-9.]+ 401(?: |\r?\n)/.test(new TextDecoder('latin1').decode(head.subarray(0, 64)));
}
