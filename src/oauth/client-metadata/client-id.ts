import { classifyAddress, parseAddress } from '../../core/ip-address.js';
import type { JsonObject, JsonValue } from '../../core/text/json.js';
import { printable, quoted } from '../../core/text/printable.js';
import { gateUrl, splitUrl, type UrlParts } from '../../core/url.js';
import { metadataAddressRefused } from '../failures.js';

const form = 'R-2.3a, CIMD section 3';

/**
 * Judges an address as a client identifier (rule 2.3; CIMD section 3): https, a path, no dot segments, no user name,
 * no fragment, spelled as it is parsed. The raw text is judged, never a repaired one.
 */
export function validateClientId(url: string): readonly Finding[] {
  const parts = splitUrl(url);
  if (parts === undefined) {
    const what = `${quoted(url)} is not an absolute https URL.`;
    return [failure('not_a_url', form, what, 'Use the full address, such as https://example.com/client.json.')];
  }
  const found = [...formFindings(parts), ...pathFindings(parts)];
  return found.some(({ verdict }) => verdict === 'failure') ? found : [...found, ...spelling(url), ...place(parts)];
}

function formFindings({ scheme, userinfo, fragment, query }: UrlParts): Finding[] {
  const found: Finding[] = [];
  if (scheme.toLowerCase() !== 'https') {
    const what = `The client identifier’s scheme is ${quoted(scheme, 40)}, and only https is fetched.`;
    found.push(failure('not_https', form, what, 'Host the document over https, and use that address.'));
  }
  if (userinfo !== undefined) {
    const what = 'The client identifier holds a user name or a password.';
    found.push(failure('has_userinfo', form, what, 'Leave out everything before the @, and the @.'));
  }
  if (fragment !== '') {
    const what = 'The client identifier has a fragment (#…), which is never sent to a server.';
    found.push(failure('has_fragment', form, what, 'Leave the fragment out.'));
  }
  if (query !== '') {
    const what = 'The client identifier has a query string, which it should not have.';
    found.push(warning('has_query', form, what, 'Host the document at an address without a “?”.'));
  }
  return found;
}

function pathFindings({ path }: UrlParts): Finding[] {
  const segments = path.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    const what = 'The client identifier’s path has a dot segment (“.” or “..”).';
    return [failure('dot_segments', form, what, 'Write the path that the dots lead to.')];
  }
  if (path === '' || path === '/') {
    const what = 'The client identifier has no path.';
    return [failure('no_path', form, what, 'Host the document below the root, such as at /client.json.')];
  }
  return [];
}

function spelling(url: string): readonly Finding[] {
  const gated = gateUrl(url);
  if (gated.ok && gated.url.href === url) return [];
  const why = gated.ok ? `its plain form is ${quoted(gated.url.href)}` : gated.problem;
  const what = `The client identifier is not spelled as a URL parser gives it back (${why}), so that no comparison holds.`;
  return [failure('not_plain', form, what, 'Use the plain form: host in lower case, no default port.')];
}

/** Names that no document can be fetched from (RFC 2606, RFC 6761), and addresses that only some can reach. */
function place({ host }: UrlParts): readonly Finding[] {
  const hosted = 'R-5.7a, CIMD section 4';
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (/(?:^|\.)(?:invalid|example|test|example\.(?:com|org|net))$/.test(name)) {
    const what = `${quoted(host)} is a placeholder: nobody can host anything there.`;
    const remedy = 'Make the document for your own address: postern client-metadata build --url https://…';
    return [failure('placeholder', hosted, what, remedy)];
  }
  const kind = parseAddress(name) === undefined ? nearName(name) : classifyAddress(name);
  if (kind === 'public') return [];
  const where = kind === 'loopback' ? 'this machine' : kind === 'private' ? 'its own network' : 'nobody';
  const what = `${quoted(host)} is an address for ${where} alone: authorization servers elsewhere refuse to fetch from it.`;
  return [warning('not_public', hosted, what, 'Fine for trying out; else host it at a public name.')];
}

function nearName(name: string): 'public' | 'private' | 'loopback' {
  if (/(?:^|\.)localhost$/.test(name)) return 'loopback';
  return /(?:^|\.)(?:local|internal|lan)$/.test(name) || !name.includes('.') ? 'private' : 'public';
}

const longestName = 100;

/** Judges `client_id` (equal to the address, character for character) and `client_name` (rules 2.3 and 5.7). */
export function validateIdentity(document: JsonObject, url: string | undefined): readonly Finding[] {
  return [...validateOwnAddress(document['client_id'], url), ...validateName(document['client_name'])];
}

function validateOwnAddress(clientId: JsonObject[string] | undefined, url: string | undefined): readonly Finding[] {
  if (typeof clientId !== 'string') {
    const what = clientId === undefined ? 'client_id is missing.' : 'client_id is no text.';
    const remedy = `Add "client_id": ${url === undefined ? 'the address of the document' : quoted(url)}.`;
    return [failure('client_id_missing', 'R-2.3a', what, remedy)];
  }
  if (url === undefined || clientId === url) return [];
  const what = `client_id is ${quoted(clientId)}, and the document’s address is ${quoted(url)}: ${difference(clientId, url)}.`;
  const remedy = `Put ${quoted(url)} there, character for character: postern client-metadata build --url ${printable(url)}`;
  return [failure('client_id_differs', 'R-5.7a, CIMD section 4.1', what, remedy)];
}

function difference(clientId: string, url: string): string {
  if (clientId.toLowerCase() === url.toLowerCase()) return 'they differ in letter case';
  if (withoutSlash(clientId) === withoutSlash(url)) return 'they differ in the slash at the end';
  if (clientId.split('?')[0] === url.split('?')[0]) return 'they differ in the query';
  if (clientId.replace(/^http:/, 'https:') === url.replace(/^http:/, 'https:')) return 'they differ in the scheme';
  return 'they are two addresses';
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

function validateName(name: JsonObject[string] | undefined): readonly Finding[] {
  if (typeof name !== 'string' || name.trim() === '') {
    const what = name === undefined ? 'client_name is missing.' : 'client_name is no text, or an empty one.';
    const remedy = 'Add "client_name": the name that people are shown when they are asked.';
    return [failure('client_name_missing', 'R-2.3a', what, remedy)];
  }
  if (printable(name, name.length) !== name) {
    const what = `client_name ${quoted(name)} holds characters that are invisible, or that steer a terminal or a page.`;
    return [failure('client_name_deceptive', 'R-2.3a', what, 'Write the name in plain letters.')];
  }
  if (name.length > longestName) {
    const what = `client_name has ${name.length} characters, and consent pages cut long names.`;
    return [warning('client_name_long', 'R-2.3a', what, `Use ${longestName} characters at most.`)];
  }
  return [];
}

/** What is wrong, or unwise, about a client ID metadata document, its address, or the way it is served. */
export interface Finding {
  /** Stable name in snake_case. */
  readonly code: string;
  /** The rule's id in the project's rule table, and the section of the specification that it comes from. */
  readonly rule: string;
  /** `failure`: an authorization server that keeps to the rules refuses it. `warning`: some do, or users lose by it. */
  readonly verdict: 'failure' | 'warning';
  /** One sentence; what stands in the document comes quoted. */
  readonly what: string;
  /** One sentence: what to change. */
  readonly remedy: string;
}

/** @param rule e.g. `R-2.3a`, or `R-2.3b, CIMD section 4.1` */
export function failure(code: string, rule: string, what: string, remedy: string): Finding {
  return { code, rule, verdict: 'failure', what, remedy };
}

/** As `failure`, for what does not keep a careful authorization server from taking the document. */
export function warning(code: string, rule: string, what: string, remedy: string): Finding {
  return { code, rule, verdict: 'warning', what, remedy };
}

/** A value of the document as a finding shows it: quoted, a text as it is, anything else as JSON. */
export function quotedValue(value: JsonValue, max: number): string {
  return quoted(typeof value === 'string' ? value : JSON.stringify(value), max);
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
