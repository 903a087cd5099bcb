import { readRedirectUri } from '../../core/configuration/redirect-uri.js';
import type { JsonValue } from '../../core/text/json.js';
import { quoted, shellWord } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { fails, type Problem, warns } from './finding.js';

/**
 * Ports for authorization servers that compare the port of a loopback redirect URI, whatever RFC 8252 section 7.3 says.
 * Below the ports that systems give to outgoing connections (32768 on, 49152 on), and none that a browser blocks.
 */
export const fixedPorts: readonly number[] = [17873, 24417, 29173];

const anyPort = 'http://127.0.0.1/callback';

/** What a document of this program lists: loopback without a port, which means any, and the fixed ports. */
export const ownRedirectUris: readonly string[] = [
  anyPort,
  'http://localhost/callback',
  ...fixedPorts.map((port) => `http://127.0.0.1:${port}/callback`),
  // For those that take `localhost` alone, and compare ports.
  ...fixedPorts.map((port) => `http://localhost:${port}/callback`),
];

/** Those of a document that were chosen for it; undefined: the usual ones, or none that this program could send. */
export function chosenRedirectUris(listed: readonly string[] = []): readonly string[] | undefined {
  const isChosen = listed.length > 0 && listed.every((uri) => readRedirectUri(uri).ok);
  return isChosen && listed.join(' ') !== ownRedirectUris.join(' ') ? listed : undefined;
}

/** The option that each login with such a document needs; '' where what it sends unasked is listed. */
export function redirectOption(redirectUris: readonly string[] = ownRedirectUris): string {
  const [first] = redirectUris;
  return first === undefined || redirectUris.includes(anyPort) ? '' : `--redirect-uri ${shellWord(first)}`;
}

/** What is wrong with `redirect_uris`: what is allowed at all, and that the redirect URIs of this program are listed. */
export function redirectUriProblems(value: JsonValue | undefined): readonly (Problem | undefined)[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((uri) => typeof uri === 'string')) {
    const what = `redirect_uris is ${value === undefined ? 'missing' : 'not a list of one URL or more'}.`;
    return [fails(what, `List ${anyPort}, and whatever else the client uses.`)];
  }
  const isTwice = new Set(value).size < value.length;
  const repeated = isTwice ? warns('redirect_uris lists an address twice.', 'Leave one of them out.') : undefined;
  return [...value.map(uriProblem), repeated, ownProblem(value)];
}

function uriProblem(uri: string): Problem | undefined {
  const gated = gateUrl(uri);
  const shown = `The redirect URI ${quoted(uri, 200)}`;
  if (uri.includes('*') || uri.includes('#')) {
    const what = `${shown} has a ${uri.includes('*') ? 'wildcard' : 'fragment'}; redirect URIs are compared as they stand.`;
    return fails(what, 'List each redirect URI in full, without a fragment.');
  }
  if (!gated.ok) return fails(`${shown} cannot be used: ${gated.problem}.`, 'Use a loopback address, or https.');
  const { hostname, protocol } = gated.url;
  if (['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return undefined;
  if (protocol === 'http:') {
    const what = `${shown} is plain http to another machine: codes could be read on the way.`;
    return fails(what, 'Use https, or a loopback address.');
  }
  const what = `${shown} leads to another machine, and this program never sends it: the owner of that host could receive codes.`;
  return warns(what, 'Leave it out, unless another program of yours needs it.');
}

function ownProblem(uris: readonly string[]): Problem | undefined {
  const listed = uris.filter((uri) => /^http:\/\/127\.0\.0\.1(?::[0-9]{1,5})?\/callback$/.test(uri));
  const usual = 'which is http://127.0.0.1:PORT/callback';
  if (listed.length === 0 && uris.some((uri) => readRedirectUri(uri).ok)) {
    const remedy = `Add ${anyPort}, or log in with --redirect-uri and one that is listed.`;
    return warns(`redirect_uris does not list what a login sends unasked, ${usual}.`, remedy);
  }
  if (listed.length === 0) {
    return fails(`redirect_uris lists nothing that this program sends, ${usual}.`, `Add ${anyPort} to redirect_uris.`);
  }
  if (!listed.includes(anyPort)) {
    const what =
      'redirect_uris names loopback with ports only; some authorization servers take another port only where none is named (RFC 8252 section 7.3).';
    return warns(what, `Add ${anyPort}.`);
  }
  if (listed.some((uri) => uri !== anyPort)) return undefined;
  const what = 'redirect_uris names no fixed port, which authorization servers need that compare ports.';
  return warns(what, `Add ${ownRedirectUris[2]}, for --redirect-port ${fixedPorts[0]}.`);
}
