/**
 * A value as one line of JSON in which every character that is not printable ASCII is `\u`-escaped: no byte of it can
 * steer a terminal, and any JSON parser gives back what was put in.
 */
export function asciiJson(value: unknown): string {
  return asciiOnly(JSON.stringify(value));
}

/** A text of JSON, or a part of one, with these characters escaped. */
function asciiOnly(json: string): string {
  if (printableAscii.test(json)) return json;
  const bytes = Buffer.allocUnsafe(json.length * longestEscape);
  let at = 0;
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index);
    if (unit >= 0x20 && unit <= 0x7e) {
      bytes[at++] = unit;
      continue;
    }
    bytes[at++] = 0x5c;
    bytes[at++] = 0x75;
    for (let shift = 12; shift >= 0; shift -= 4) bytes[at++] = hexDigits.charCodeAt((unit >> shift) & 0xf);
  }
  return bytes.toString('latin1', 0, at);
}

const printableAscii = /^[\x20-\x7e]*$/;
const longestEscape = 6;
const hexDigits = '0123456789abcdef';
