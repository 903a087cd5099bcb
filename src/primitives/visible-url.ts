/**
 * A URL, or what somebody gave as one, without the parts that can hold a secret: query, fragment, user
 * name and password. It works on the raw text, because it is needed where the text is no valid URL. The
 * result is still untrusted text: it is printed through `quoted`.
 */
export function visibleUrl(raw: string): string {
  const cut = raw.search(/[?#]/);
  const plain = cut === -1 ? raw : raw.slice(0, cut);
  const start = /^[a-z][a-z0-9+.-]*:[/\\]*/i.exec(plain)?.[0].length ?? 0;
  const pathStart = plain.slice(start).search(/\//);
  const end = pathStart === -1 ? plain.length : start + pathStart;
  const at = plain.lastIndexOf('@', end);
  const shown = at < start || at === -1 ? plain : `${plain.slice(0, start)}***@${plain.slice(at + 1)}`;
  return cut === -1 ? shown : `${shown}${raw.charAt(cut)}…`;
}
