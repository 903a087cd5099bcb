import { classifyAddress, parseAddress } from '../../../primitives/ip-address.js';
import { quoted } from '../../../primitives/printable.js';
import { gateUrl } from '../../../primitives/url-gate.js';
import { splitUrl, type UrlParts } from '../../../primitives/url-parts.js';
import { type Finding, failure, warning } from './finding.js';

const form = 'R-2.3a, CIMD section 3';

/**
 * Judges an address as a client identifier (rule 2.3; CIMD section 3): https, a path, no dot segments, no user name,
 * no fragment, spelled as it is parsed. The raw text is judged, never a repaired one.
 */
export function judgeClientId(url: string): readonly Finding[] {
  const parts = splitUrl(url);
  if (parts === undefined) {
    const what = `${quoted(url)} is not an absolute https URL.`;
    return [
      failure('not_a_url', form, {
        what,
        remedy: 'Use the full address, such as https://example.com/client.json.',
      }),
    ];
  }
  const found = [...formFindings(parts), ...pathFindings(parts)];
  return found.some(({ verdict }) => verdict === 'failure')
    ? found
    : [...found, ...spelling(url), ...place(parts)];
}

function formFindings({ scheme, userinfo, fragment, query }: UrlParts): Finding[] {
  const found: Finding[] = [];
  if (scheme.toLowerCase() !== 'https') {
    const what = `The client identifier’s scheme is ${quoted(scheme, 40)}, and only https is fetched.`;
    found.push(
      failure('not_https', form, { what, remedy: 'Host the document over https, and use that address.' }),
    );
  }
  if (userinfo !== undefined) {
    const what = 'The client identifier holds a user name or a password.';
    found.push(
      failure('has_userinfo', form, { what, remedy: 'Leave out everything before the @, and the @.' }),
    );
  }
  if (fragment !== '') {
    const what = 'The client identifier has a fragment (#…), which is never sent to a server.';
    found.push(failure('has_fragment', form, { what, remedy: 'Leave the fragment out.' }));
  }
  if (query !== '') {
    const what = 'The client identifier has a query string, which it should not have.';
    found.push(
      warning('has_query', form, { what, remedy: 'Host the document at an address without a “?”.' }),
    );
  }
  return found;
}

function pathFindings({ path }: UrlParts): Finding[] {
  const segments = path.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    const what = 'The client identifier’s path has a dot segment (“.” or “..”).';
    return [failure('dot_segments', form, { what, remedy: 'Write the path that the dots lead to.' })];
  }
  if (path === '' || path === '/') {
    const what = 'The client identifier has no path.';
    return [
      failure('no_path', form, {
        what,
        remedy: 'Host the document below the root, such as at /client.json.',
      }),
    ];
  }
  return [];
}

function spelling(url: string): readonly Finding[] {
  const gated = gateUrl(url);
  if (gated.ok && gated.url.href === url) {
    return [];
  }
  const why = gated.ok ? `its plain form is ${quoted(gated.url.href)}` : gated.problem;
  const what = `The client identifier is not spelled as a URL parser gives it back (${why}), so that no comparison holds.`;
  return [
    failure('not_plain', form, { what, remedy: 'Use the plain form: host in lower case, no default port.' }),
  ];
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
    return [failure('placeholder', hosted, { what, remedy })];
  }
  const kind = parseAddress(name) === undefined ? nearName(name) : classifyAddress(name);
  if (kind === 'public') {
    return [];
  }
  const where = kind === 'loopback' ? 'this machine' : kind === 'private' ? 'its own network' : 'nobody';
  const what = `${quoted(host)} is an address for ${where} alone: authorization servers elsewhere refuse to fetch from it.`;
  return [
    warning('not_public', hosted, { what, remedy: 'Fine for trying out; else host it at a public name.' }),
  ];
}

function nearName(name: string): 'public' | 'private' | 'loopback' {
  if (/(?:^|\.)localhost$/.test(name)) return 'loopback';
  return /(?:^|\.)(?:local|internal|lan)$/.test(name) || !name.includes('.') ? 'private' : 'public';
}
