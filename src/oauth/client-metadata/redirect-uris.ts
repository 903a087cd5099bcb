import { readRedirectUri } from '../../core/configuration/redirect-uri.js';
import type { JsonValue } from '../../core/text/json.js';
import { quoted, shellWord } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { type Finding, findingsOf } from './finding.js';

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

const own = /^http:\/\/127\.0\.0\.1(?::([0-9]{1,5}))?\/callback$/;

const rule = 'R-2.3a, R-5.8d';

const found = findingsOf({
  redirect_uris_missing: ['failure', 'R-2.3a', `List ${anyPort}, and whatever else the client uses.`],
  redirect_uris_unusable: ['failure', 'R-2.3a', `List ${anyPort}, and whatever else the client uses.`],
  redirect_uri_twice: ['warning', 'R-2.3a', 'Leave one of them out.'],
  redirect_uri_wildcard: ['failure', rule, 'List each redirect URI in full.'],
  redirect_uri_fragment: ['failure', rule, 'Leave the fragment out.'],
  redirect_uri_unusable: ['failure', rule, 'Redirect URIs are loopback addresses, or https.'],
  redirect_uri_plain_http: ['failure', rule, 'Use https, or a loopback address.'],
  redirect_uri_elsewhere: ['warning', 'R-5.8d', 'Leave it out, unless another program of yours needs it.'],
  redirect_uri_not_ours: ['failure', 'R-2.5d', `Add ${anyPort} to redirect_uris.`],
  redirect_uri_by_choice: [
    'warning',
    'R-2.5d',
    `Add ${anyPort}, or log in with --redirect-uri and one that is listed.`,
  ],
  redirect_uri_any_port_missing: ['warning', 'R-2.5d', `Add ${anyPort}.`],
  fixed_port_missing: ['warning', 'R-2.5d', `Add ${ownRedirectUris[2]}, for --redirect-port ${fixedPorts[0]}.`],
});

/** Validates `redirect_uris`: what is allowed at all, and that the redirect URIs of this program are listed. */
export function validateRedirectUris(value: JsonValue | undefined): readonly Finding[] {
  if (value === undefined) return found({ redirect_uris_missing: 'redirect_uris is missing.' });
  if (!Array.isArray(value) || value.length === 0 || !value.every((uri) => typeof uri === 'string')) {
    return found({ redirect_uris_unusable: 'redirect_uris is not a list of one URL or more.' });
  }
  const isTwice = new Set(value).size < value.length;
  return [
    ...value.flatMap(validateOne),
    ...found({ redirect_uri_twice: isTwice && 'redirect_uris lists an address twice.' }),
    ...validateOwn(value),
  ];
}

/** The first thing that is wrong with a redirect URI. */
function validateOne(uri: string): readonly Finding[] {
  const gated = gateUrl(uri);
  const shown = `The redirect URI ${quoted(uri, 200)}`;
  const isElsewhere = gated.ok && !['127.0.0.1', '[::1]', 'localhost'].includes(gated.url.hostname);
  const isPlain = isElsewhere && gated.url.protocol === 'http:';
  return found({
    redirect_uri_wildcard: uri.includes('*') && `${shown} has a wildcard; redirect URIs are compared as they stand.`,
    redirect_uri_fragment: uri.includes('#') && `${shown} has a fragment.`,
    redirect_uri_unusable: !gated.ok && `${shown} cannot be used: ${gated.problem}.`,
    redirect_uri_plain_http: isPlain && `${shown} is plain http to another machine: codes could be read on the way.`,
    redirect_uri_elsewhere:
      isElsewhere &&
      `${shown} leads to another machine, and this program never sends it: whoever has that host could receive codes.`,
  }).slice(0, 1);
}

function validateOwn(uris: readonly string[]): readonly Finding[] {
  const listed = uris.filter((uri) => own.test(uri));
  if (listed.length === 0) {
    const isByChoice = uris.some((uri) => readRedirectUri(uri).ok);
    const usual = 'which is http://127.0.0.1:PORT/callback';
    return found({
      redirect_uri_by_choice: isByChoice && `redirect_uris does not list what a login sends unasked, ${usual}.`,
      redirect_uri_not_ours: !isByChoice && `redirect_uris lists nothing that this program sends, ${usual}.`,
    });
  }
  return found({
    redirect_uri_any_port_missing:
      !listed.includes(anyPort) &&
      'redirect_uris names loopback with ports only; some authorization servers take another port only where none is named (RFC 8252 section 7.3).',
    fixed_port_missing:
      listed.every((uri) => uri === anyPort) &&
      'redirect_uris names no fixed port, which authorization servers need that compare ports.',
  });
}
