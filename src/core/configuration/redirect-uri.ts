/** Hosts by which a browser reaches a listener on its own machine. */
export type LoopbackHost = '127.0.0.1' | '[::1]' | 'localhost';

/** A loopback redirect URI (RFC 8252 section 7.3) that the user chose. */
export interface ChosenRedirectUri {
  readonly host: LoopbackHost;
  /** Undefined: any free one. */
  readonly port: number | undefined;
  /** As spelled, since servers compare text: '' and '/' differ. */
  readonly path: string;
}

/** The default: most authorization servers accept it with any port. */
export const usualRedirectUri: ChosenRedirectUri = { host: '127.0.0.1', port: undefined, path: '/callback' };

export type ReadRedirectUri =
  | { readonly ok: true; readonly value: ChosenRedirectUri }
  /** `problem` completes "this address cannot be used: …". */
  | { readonly ok: false; readonly problem: string };

const form = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,6}))?(\/.*)?$/s;

/** Characters of a path that no browser, shell or form changes; a percent sign starts an encoded byte. */
const pathForm = /^(?:\/(?:[A-Za-z0-9._~@:+=-]|%[0-9A-F]{2})*)*$/;

const longestPath = 255;

/**
 * Reads a redirect URI that the user chose: plain http to this machine, with nothing that a browser would spell differently,
 * since authorization servers compare text.
 */
export function readRedirectUri(text: string): ReadRedirectUri {
  const [, host, digits, path = ''] = form.exec(text) ?? [];
  if (host === undefined) return refuse('it is not http://HOST:PORT/PATH with the host 127.0.0.1, [::1] or localhost');
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1024 || port > 65_535 || String(port) !== digits)) {
    return refuse('its port is not one from 1024 to 65535');
  }
  if (/[?#]/.test(path)) return refuse('it has a query or a fragment');
  const isPlain = pathForm.test(path) && path.length <= longestPath && !path.startsWith('//');
  if (!isPlain || new URL(text).pathname !== (path || '/')) {
    return refuse('its path is not one that a browser leaves as it is');
  }
  return { ok: true, value: { host: host as LoopbackHost, port, path } };
}

function refuse(problem: string): ReadRedirectUri {
  return { ok: false, problem };
}

/** The text of a redirect URI. */
export function redirectUriText({ host, port, path }: ChosenRedirectUri): string {
  return `http://${host}${port === undefined ? '' : `:${port}`}${path}`;
}

/** Whether it is the default one. */
export function isUsualRedirectUri(uri: ChosenRedirectUri): boolean {
  return redirectUriText(uri) === redirectUriText(usualRedirectUri);
}

/**
 * The first loopback redirect URI other than `used` in a server's text: the one that the authorization server wants. It is
 * validated like a typed one.
 */
export function redirectUriIn(text: string, used: string): ChosenRedirectUri | undefined {
  const found = text.slice(0, 2000).match(/http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[^\s"'<>`\\]*/g) ?? [];
  for (const one of found) {
    const uri = one.replace(/[.,;:!)]+$/, '');
    const read = readRedirectUri(uri);
    if (read.ok && uri !== used) return read.value;
  }
  return undefined;
}
