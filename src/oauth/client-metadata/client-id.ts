import { classifyHost } from '../../core/ip-address.js';
import { quoted } from '../../core/text/printable.js';
import { gateUrl, splitUrl, type UrlParts } from '../../core/url.js';
import { metadataAddressRefused } from '../failures.js';
import { type Finding, fails, findingsAbout, type Problem, warns } from './finding.js';

/**
 * Validates an address as a client identifier (rule 2.3; CIMD section 3): https, a path, no dot segments, no user name,
 * no fragment, spelled as it is parsed. The raw text is validated, never a repaired one.
 */
export function validateClientId(url: string): readonly Finding[] {
  const parts = splitUrl(url);
  const problems = formProblems(url, parts);
  const ofForm = findingsAbout('client_id', 'R-2.3a, CIMD section 3', ...problems);
  const isUnusable = parts === undefined || problems.some(({ verdict }) => verdict === 'failure');
  return isUnusable ? ofForm : [...ofForm, ...validateHost(parts)];
}

function formProblems(url: string, parts: UrlParts | undefined): readonly Problem[] {
  if (parts === undefined) {
    const remedy = 'Use the full address, such as https://example.com/client.json.';
    return [fails(`${quoted(url)} is not an absolute https URL.`, remedy)];
  }
  const { scheme, userinfo, fragment, query, path } = parts;
  const id = 'The client identifier';
  const isHttps = scheme.toLowerCase() === 'https';
  const hasDots = path.split('/').some((segment) => /^\.\.?$/.test(segment.replaceAll(/%2e/gi, '.')));
  const gated = gateUrl(url);
  const why = gated.ok ? `its plain form is ${quoted(gated.url.href)}` : gated.problem;
  const spelling = `${id} is not spelled as a URL parser gives it back (${why}), so that no comparison holds.`;
  const rows: readonly (readonly [isWrong: boolean, what: string, remedy: string])[] = [
    [
      !isHttps,
      `${id}’s scheme is ${quoted(scheme, 40)}, and only https is fetched.`,
      'Host the document over https, and use that address.',
    ],
    [userinfo !== undefined, `${id} holds a user name or a password.`, 'Leave out everything before the @, and the @.'],
    [fragment !== '', `${id} has a fragment (#…), which is never sent to a server.`, 'Leave the fragment out.'],
    [hasDots, `${id}’s path has a dot segment (“.” or “..”).`, 'Write the path that the dots lead to.'],
    [path === '' || path === '/', `${id} has no path.`, 'Host the document below the root, such as at /client.json.'],
  ];
  const wrong = rows.flatMap(([isWrong, what, remedy]) => (isWrong ? [fails(what, remedy)] : []));
  if (query !== '') {
    const what = `${id} has a query string, which it should not have.`;
    wrong.push(warns(what, 'Host the document at an address without a “?”.'));
  }
  const isFormed = wrong.every(({ verdict }) => verdict !== 'failure');
  const isPlain = gated.ok && gated.url.href === url;
  if (isFormed && !isPlain) wrong.push(fails(spelling, 'Use the plain form: host in lower case, no default port.'));
  return wrong;
}

/** Names that no document can be fetched from (RFC 2606, RFC 6761), and addresses that only some can reach. */
function validateHost({ host }: UrlParts): readonly Finding[] {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (/(?:^|\.)(?:invalid|example|test|example\.(?:com|org|net))$/.test(name)) {
    const what = `${quoted(host)} is a placeholder: no document can be hosted there.`;
    const remedy = 'Make the document for your own address: postern client-metadata build --url URL';
    return findingsAbout('placeholder', 'R-5.7a, CIMD section 4', fails(what, remedy));
  }
  const kind = classifyHost(name);
  const where = kind === 'loopback' ? 'this machine' : kind === 'private' ? 'its own network' : 'nobody';
  const what = `${quoted(host)} is an address for ${where} alone: authorization servers elsewhere refuse to fetch from it.`;
  const problem = kind !== 'public' && warns(what, 'Fine for trying out; else host it at a public name.');
  return findingsAbout('not_public', 'R-5.8g, CIMD section 6.5', problem);
}

/**
 * An address that no authorization server may take for a client identifier is never sent to one (rule 2.3a).
 * A document may be built for a placeholder, as in a release that is not hosted yet.
 * @throws Failure `client_metadata_url_refused`
 */
export function checkAddress(url: string): void {
  const wrong = formProblems(url, splitUrl(url)).find(({ verdict }) => verdict === 'failure');
  if (wrong !== undefined) throw metadataAddressRefused(wrong.what, wrong.remedy);
}
