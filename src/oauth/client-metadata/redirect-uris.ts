import type { JsonValue } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { type Finding, failure, warning } from './client-id.js';

/**
 * Ports for authorization servers that compare the port of a loopback redirect URI, whatever RFC 8252 section 7.3 says.
 * Below the ports that systems give to outgoing connections (32768 on, 49152 on), and none that a browser blocks.
 */
export const fixedPorts: readonly number[] = [17873, 24417, 29173];

/** What a document of this program lists: loopback without a port, which stands for any, and the fixed ports. */
export const ownRedirectUris: readonly string[] = [
  'http://127.0.0.1/callback',
  'http://localhost/callback',
  ...fixedPorts.map((port) => `http://127.0.0.1:${port}/callback`),
];

const anyPort = 'http://127.0.0.1/callback';

const sent = /^http:\/\/127\.0\.0\.1(?::([0-9]{1,5}))?\/callback$/;

const rule = 'R-2.3a, R-5.8d';

/** Judges `redirect_uris`: what may stand there at all, and that what this program sends does. */
export function validateRedirectUris(value: JsonValue | undefined): readonly Finding[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((uri) => typeof uri === 'string')) {
    const what = value === undefined ? 'redirect_uris is missing.' : 'redirect_uris is not a list of one URL or more.';
    const remedy = `List ${anyPort}, and whatever else the client uses.`;
    const code = value === undefined ? 'redirect_uris_missing' : 'redirect_uris_unusable';
    return [failure(code, 'R-2.3a', what, remedy)];
  }
  const found = value.flatMap(validateOne);
  if (new Set(value).size < value.length) {
    const what = 'redirect_uris lists an address twice.';
    found.push(warning('redirect_uri_twice', 'R-2.3a', what, 'Leave one of them out.'));
  }
  return [...found, ...validateOwn(value)];
}

function validateOne(uri: string): Finding[] {
  const gated = gateUrl(uri);
  const shown = quoted(uri, 200);
  if (uri.includes('*')) {
    const what = `The redirect URI ${shown} has a wildcard; redirect URIs are compared as they stand.`;
    return [failure('redirect_uri_wildcard', rule, what, 'List each redirect URI in full.')];
  }
  if (uri.includes('#')) {
    const what = `The redirect URI ${shown} has a fragment.`;
    return [failure('redirect_uri_fragment', rule, what, 'Leave the fragment out.')];
  }
  if (!gated.ok) {
    const what = `The redirect URI ${shown} cannot be used: ${gated.problem}.`;
    return [failure('redirect_uri_unusable', rule, what, 'Redirect URIs are loopback addresses, or https.')];
  }
  const { protocol, hostname } = gated.url;
  const loopback = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  if (protocol === 'http:' && !loopback) {
    const what = `The redirect URI ${shown} is plain http to another machine: codes could be read on the way.`;
    return [failure('redirect_uri_plain_http', rule, what, 'Use https, or a loopback address.')];
  }
  if (!loopback) {
    const what = `The redirect URI ${shown} leads to another machine, and this program never sends it: whoever has that host could receive codes.`;
    return [
      warning('redirect_uri_elsewhere', 'R-5.8d', what, 'Leave it out, unless another program of yours needs it.'),
    ];
  }
  return [];
}

function validateOwn(listed: readonly string[]): Finding[] {
  const own = listed.filter((uri) => sent.test(uri));
  if (own.length === 0) {
    const what = `redirect_uris lists nothing that this program sends, which is http://127.0.0.1:PORT/callback.`;
    return [failure('redirect_uri_not_ours', 'R-2.5d', what, `Add ${anyPort} to redirect_uris.`)];
  }
  const found: Finding[] = [];
  if (!own.includes(anyPort)) {
    const what = `redirect_uris names loopback with ports only; some authorization servers take another port only where none is named (RFC 8252 section 7.3).`;
    found.push(warning('redirect_uri_any_port_missing', 'R-2.5d', what, `Add ${anyPort}.`));
  }
  if (own.every((uri) => uri === anyPort)) {
    const what = 'redirect_uris names no fixed port, which authorization servers need that compare ports.';
    const remedy = `Add ${ownRedirectUris.at(2) ?? anyPort}, for --redirect-port ${fixedPorts[0] ?? ''}.`;
    found.push(warning('fixed_port_missing', 'R-2.5d', what, remedy));
  }
  return found;
}
