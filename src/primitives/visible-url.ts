import { canonicalResource } from './resource.js';

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

/**
 * The same, but with the query where it tells servers apart: that of a server's address, if it seems to hold no secret.
 * For commands that are to work as they are printed.
 */
export function namedServer(raw: string): string {
  const canonical = canonicalResource(raw);
  return canonical.ok && !mayHoldSecret(raw) ? canonical.value : visibleUrl(raw);
}

const secretNames =
  /(?:^|[_.-])(?:key|code|sig|signature|auth|authorization|session|sid|jwt|pass|passwd|pwd|credentials?|access)$/i;

/** Does the query hold what looks like a secret: by its name, or since nobody would type it? */
export function mayHoldSecret(url: string): boolean {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return [...new URLSearchParams(query)].some(
    ([name, value]) =>
      (value !== '' && secretNames.test(name)) ||
      `${name}-${value}`
        .split(/[^A-Za-z0-9_+/=]/)
        .some((run) => run.length >= 20 && /[0-9]/.test(run) && /[A-Za-z]/.test(run)),
  );
}
