/** Some servers decode more than once; what is encoded more often than this is never plain. */
const mostDecoded = 6;

// Decoded, a path is bytes: one character each. What no UTF-8 is, old decoders read as ASCII all the same.
const overlong =
  /(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81]|\xf8\x80\x80[\x80\x81]|\xfc\x80\x80\x80[\x80\x81])[\x80-\xbf]/g;
/** Full stops that Unicode takes for one: full width, small, one and two dot leaders. */
const otherDots = /\xef\xbc\x8e|\xef\xb9\x92|\xe2\x80\xa4|\xe2\x80\xa5/g;
/** What may end a segment for one server and not for another: parameters, query, fragment, slashes of other widths. */
const softEnds = /[;?#]|\xef\xbc[\x8f\xbc]|\xe2\x88[\x95\x96]|\xe2\x81\x84|\xef\xb9\xa8/;
/** Controls and blanks, which some servers drop or cut a segment at. */
const blanks = /[\p{Cc}\s]/gu;

/**
 * May any server read a path as leading up? Holds for dot segments and separators, encoded however often, in overlong
 * UTF-8, in other widths, with parameters, blanks or controls about them (RFC 3986 section 5.2.4 knows the plain ones).
 */
export function mayLeadUp(path: string): boolean {
  if (!/[%.\\]/.test(path)) return false; // most paths
  const depth = path.split('/').length;
  let read = path;
  for (let round = 0; round < mostDecoded; round += 1) {
    const plain = withAsciiDots(read);
    const segments = plain.split('/');
    if (plain.includes('\\') || segments.length !== depth) return true;
    if (segments.some((segment) => segment.split(softEnds).some(isDots))) return true;
    const next = decodedOnce(read);
    if (next === read) return false;
    read = next;
  }
  return true;
}

/** `text` with its percent-encoding taken off as often as there is some; each byte is one character. */
export function fullyDecoded(text: string): string {
  const next = decodedOnce(text);
  return next === text ? text : fullyDecoded(next);
}

function decodedOnce(text: string): string {
  return text.replace(/%(?:u00)?([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function isDots(segment: string): boolean {
  const bare = segment.replace(blanks, '');
  return bare === '.' || bare === '..' || (/^\.+$/.test(bare) && bare !== segment);
}

function withAsciiDots(text: string): string {
  return text
    .replace(overlong, (bytes) => {
      const last = bytes.charCodeAt(bytes.length - 1) & 0x3f;
      const before = bytes.charCodeAt(bytes.length - 2) & 1;
      return String.fromCharCode((before << 6) | last);
    })
    .replaceAll('\xc0.', '.') // the same with a second byte that is none: `%c0%2e`, `%c1%1c`
    .replaceAll('\xc1\x1c', '\\')
    .replace(otherDots, (bytes) => (bytes === '\xe2\x80\xa5' ? '..' : '.'));
}
