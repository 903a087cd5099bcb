/** Text between tags of XML 1.0, in ASCII; characters that XML has no place for become U+FFFD. */
export function escapedXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"'\t\n\r]|[^\u{20}-\u{7e}]/gu, (one) => `&#${one.codePointAt(0)};`);
}
