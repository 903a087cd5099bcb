import { classifyHost } from '../../core/ip-address.js';
import type { JsonObject } from '../../core/text/json.js';
import { printable, quoted } from '../../core/text/printable.js';
import { gateUrl, splitUrl, type UrlParts } from '../../core/url.js';
import { metadataAddressRefused } from '../failures.js';
import { type Finding, findingsOf } from './finding.js';

const form = 'R-2.3a, CIMD section 3';

const hosted = 'R-5.7a, CIMD section 4';

const build = 'postern client-metadata build';

const found = findingsOf({
  not_a_url: ['failure', form, 'Use the full address, such as https://example.com/client.json.'],
  not_https: ['failure', form, 'Host the document over https, and use that address.'],
  has_userinfo: ['failure', form, 'Leave out everything before the @, and the @.'],
  has_fragment: ['failure', form, 'Leave the fragment out.'],
  has_query: ['warning', form, 'Host the document at an address without a “?”.'],
  dot_segments: ['failure', form, 'Write the path that the dots lead to.'],
  no_path: ['failure', form, 'Host the document below the root, such as at /client.json.'],
  not_plain: ['failure', form, 'Use the plain form: host in lower case, no default port.'],
  placeholder: ['failure', hosted, `Make the document for your own address: ${build} --url URL`],
  not_public: ['warning', 'R-5.8g, CIMD section 6.5', 'Fine for trying out; else host it at a public name.'],
  client_id_missing: ['failure', 'R-2.3a, CIMD section 4.1', 'Add "client_id": the address of the document.'],
  client_id_differs: ['failure', 'R-5.7a, CIMD section 4.1', ''],
  client_name_missing: ['failure', 'R-2.3a', 'Add "client_name": the name that people are shown when they are asked.'],
  client_name_deceptive: ['failure', 'R-2.3a', 'Write the name in plain letters.'],
  client_name_long: ['warning', 'R-2.3a', 'Use 100 characters at most.'],
});

/**
 * Validates an address as a client identifier (rule 2.3; CIMD section 3): https, a path, no dot segments, no user name,
 * no fragment, spelled as it is parsed. The raw text is validated, never a repaired one.
 */
export function validateClientId(url: string): readonly Finding[] {
  const parts = splitUrl(url);
  if (parts === undefined) return found({ not_a_url: `${quoted(url)} is not an absolute https URL.` });
  const { scheme, userinfo, fragment, query, path } = parts;
  const hasDots = path.split('/').some((segment) => /^\.\.?$/.test(segment.replaceAll(/%2e/gi, '.')));
  const findings = found({
    not_https:
      scheme.toLowerCase() !== 'https' &&
      `The client identifier’s scheme is ${quoted(scheme, 40)}, and only https is fetched.`,
    has_userinfo: userinfo !== undefined && 'The client identifier holds a user name or a password.',
    has_fragment: fragment !== '' && 'The client identifier has a fragment (#…), which is never sent to a server.',
    has_query: query !== '' && 'The client identifier has a query string, which it should not have.',
    dot_segments: hasDots && 'The client identifier’s path has a dot segment (“.” or “..”).',
    no_path: (path === '' || path === '/') && 'The client identifier has no path.',
  });
  return findings.some(({ verdict }) => verdict === 'failure')
    ? findings
    : [...findings, ...validateSpelling(url), ...validateHost(parts)];
}

function validateSpelling(url: string): readonly Finding[] {
  const gated = gateUrl(url);
  const why = gated.ok ? `its plain form is ${quoted(gated.url.href)}` : gated.problem;
  return found({
    not_plain:
      !(gated.ok && gated.url.href === url) &&
      `The client identifier is not spelled as a URL parser gives it back (${why}), so that no comparison holds.`,
  });
}

/** Names that no document can be fetched from (RFC 2606, RFC 6761), and addresses that only some can reach. */
function validateHost({ host }: UrlParts): readonly Finding[] {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (/(?:^|\.)(?:invalid|example|test|example\.(?:com|org|net))$/.test(name)) {
    return found({ placeholder: `${quoted(host)} is a placeholder: nobody can host anything there.` });
  }
  const kind = classifyHost(name);
  const where = kind === 'loopback' ? 'this machine' : kind === 'private' ? 'its own network' : 'nobody';
  return found({
    not_public:
      kind !== 'public' &&
      `${quoted(host)} is an address for ${where} alone: authorization servers elsewhere refuse to fetch from it.`,
  });
}

/** Validates `client_id` (equal to the address, character for character) and `client_name` (rules 2.3 and 5.7). */
export function validateIdentity(document: JsonObject, url: string | undefined): readonly Finding[] {
  return [...validateOwnAddress(document['client_id'], url), ...validateName(document['client_name'])];
}

function validateOwnAddress(clientId: JsonObject[string] | undefined, url: string | undefined): readonly Finding[] {
  if (typeof clientId !== 'string') {
    const what = clientId === undefined ? 'client_id is missing.' : 'client_id is no text.';
    return found({ client_id_missing: url === undefined ? what : [what, `Add "client_id": ${quoted(url)}.`] });
  }
  if (url === undefined || clientId === url) return [];
  const what = `client_id is ${quoted(clientId)}, and the document’s address is ${quoted(url)}: ${difference(clientId, url)}.`;
  const remedy = `Put ${quoted(url)} there, character for character: ${build} --url ${printable(url)}`;
  return found({ client_id_differs: [what, remedy] });
}

function difference(clientId: string, url: string): string {
  const same = (plain: (text: string) => string | undefined) => plain(clientId) === plain(url);
  if (same((text) => text.toLowerCase())) return 'they differ in letter case';
  if (same((text) => text.replace(/\/$/, ''))) return 'they differ in the slash at the end';
  if (same((text) => text.split('?')[0])) return 'they differ in the query';
  if (same((text) => text.replace(/^http:/, 'https:'))) return 'they differ in the scheme';
  return 'they are two addresses';
}

function validateName(name: JsonObject[string] | undefined): readonly Finding[] {
  if (typeof name !== 'string' || name.trim() === '') {
    const what = name === undefined ? 'client_name is missing.' : 'client_name is no text, or an empty one.';
    return found({ client_name_missing: what });
  }
  const steers = `client_name ${quoted(name)} holds characters that are invisible, or that steer a terminal or a page.`;
  if (printable(name, name.length) !== name) return found({ client_name_deceptive: steers });
  const what = `client_name has ${name.length} characters, and consent pages cut long names.`;
  return found({ client_name_long: name.length > 100 && what });
}

/**
 * An address that no authorization server may take for a client identifier is never sent to one (rule 2.3a).
 * A placeholder may be built for: that is what a release is before somebody hosts it.
 * @throws Failure `client_metadata_url_refused`
 */
export function checkAddress(url: string): void {
  const wrong = validateClientId(url).find(({ verdict, code }) => verdict === 'failure' && code !== 'placeholder');
  if (wrong !== undefined) throw metadataAddressRefused(wrong.what, wrong.remedy);
}
