import { requestUnusable } from '../../errors/credential.js';
import { asObject, parseJson, stringField } from '../../primitives/json.js';

/** Has the whole object come? Told by its last byte first, as each look costs. */
export function isWholeBazelRequest(bytes: Uint8Array): boolean {
  let end = bytes.length;
  while (end > 0 && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[end - 1] ?? 0)) end -= 1;
  return bytes[end - 1] === 0x7d && parseJson(bytes).ok;
}

/** `{"uri": "…"}`, and whatever else a later caller adds. @throws Failure `request_unusable` */
export function readBazelUri(bytes: Uint8Array): string {
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const uri = object && stringField(object, 'uri');
  if (uri === undefined) {
    throw requestUnusable('bazel', 'it has to be a JSON object with a "uri"');
  }
  return uri;
}
