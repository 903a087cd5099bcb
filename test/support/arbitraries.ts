import fc from 'fast-check';

// fast-check has its own (`fc.webUrl` and its parts, strings of `unit: 'binary'`). To make one of those takes a table of all
// characters, and that longer than most properties that use it.

const all = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((index) => (index < 0xd800 ? index : index + 0x800));
/** Code points; half of them where controls, marks and directions lie. */
const point = fc.oneof(fc.nat({ max: 0xff }), fc.integer({ min: 0x100, max: 0x30ff }), all, all);

/** Text of any characters but half ones. @param size In characters. */
export function anyText(size: { readonly minLength?: number; readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.array(point, size).map((points) => String.fromCodePoint(...points));
}

const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~!$&'()*+,;=:@"];
const escaped = point.map((number) => encodeURIComponent(String.fromCodePoint(number)));
const character = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...letters) }, { weight: 1, arbitrary: escaped });
const segment = fc.array(character, { maxLength: 10 }).map((characters) => characters.join(''));
const label = fc.array(fc.constantFrom(...letters.slice(0, 36)), { minLength: 1, maxLength: 12 });

/** A path as RFC 3986 writes one: empty, or segments each with its slash. */
export const anyPath = fc.array(segment, { maxLength: 5 }).map((all) => all.map((one) => `/${one}`).join(''));

/** A query or a fragment, without its mark. */
export const anyQuery = fc
  .array(fc.oneof(segment, fc.constantFrom('/', '?', '&', '=')), { maxLength: 5 })
  .map((all) => all.join(''));

const port = fc.oneof(
  fc.constant(''),
  fc.nat({ max: 65_535 }).map((number) => `:${number}`),
);
const host = fc.tuple(label, label).map((labels) => `${labels.map((one) => one.join('')).join('.')}.example`);

const perhaps = (mark: string) =>
  fc.oneof(
    fc.constant(''),
    anyQuery.map((text) => `${mark}${text}`),
  );

/** An http or https URL of a host name, perhaps with a port, a path and a query. */
export const anyUrlWithoutFragment = fc
  .tuple(fc.constantFrom('http://', 'https://'), host, port, anyPath, perhaps('?'))
  .map((parts) => parts.join(''));

/** The same, perhaps with a fragment. */
export const anyUrl = fc.tuple(anyUrlWithoutFragment, perhaps('#')).map((parts) => parts.join(''));
