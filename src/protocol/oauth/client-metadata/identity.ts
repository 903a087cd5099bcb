import type { JsonObject } from '../../../primitives/json.js';
import { printable, quoted } from '../../../primitives/printable.js';
import { type Finding, failure, warning } from './finding.js';

const longestName = 100;

/** Judges `client_id` (equal to the address, character for character) and `client_name` (rules 2.3 and 5.7). */
export function judgeIdentity(document: JsonObject, url: string | undefined): readonly Finding[] {
  return [...judgeOwnAddress(document['client_id'], url), ...judgeName(document['client_name'])];
}

function judgeOwnAddress(
  clientId: JsonObject[string] | undefined,
  url: string | undefined,
): readonly Finding[] {
  if (typeof clientId !== 'string') {
    const what = clientId === undefined ? 'client_id is missing.' : 'client_id is no text.';
    const remedy = `Add "client_id": ${url === undefined ? 'the address of the document' : quoted(url)}.`;
    return [failure('client_id_missing', 'R-2.3a', { what, remedy })];
  }
  if (url === undefined || clientId === url) {
    return [];
  }
  const what = `client_id is ${quoted(clientId)}, and the document’s address is ${quoted(url)}: ${difference(clientId, url)}.`;
  const remedy = `Put ${quoted(url)} there, character for character: postern client-metadata build --url ${printable(url)}`;
  return [failure('client_id_differs', 'R-5.7a, CIMD section 4.1', { what, remedy })];
}

function difference(clientId: string, url: string): string {
  if (clientId.toLowerCase() === url.toLowerCase()) return 'they differ in letter case';
  if (withoutSlash(clientId) === withoutSlash(url)) return 'they differ in the slash at the end';
  if (clientId.split('?')[0] === url.split('?')[0]) return 'they differ in the query';
  if (clientId.replace(/^http:/, 'https:') === url.replace(/^http:/, 'https:'))
    return 'they differ in the scheme';
  return 'they are two addresses';
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

function judgeName(name: JsonObject[string] | undefined): readonly Finding[] {
  if (typeof name !== 'string' || name.trim() === '') {
    const what = name === undefined ? 'client_name is missing.' : 'client_name is no text, or an empty one.';
    const remedy = 'Add "client_name": the name that people are shown when they are asked.';
    return [failure('client_name_missing', 'R-2.3a', { what, remedy })];
  }
  if (printable(name, name.length) !== name) {
    const what = `client_name ${quoted(name)} holds characters that are invisible, or that steer a terminal or a page.`;
    return [failure('client_name_deceptive', 'R-2.3a', { what, remedy: 'Write the name in plain letters.' })];
  }
  if (name.length > longestName) {
    const what = `client_name has ${name.length} characters, and consent pages cut long names.`;
    return [
      warning('client_name_long', 'R-2.3a', { what, remedy: `Use ${longestName} characters at most.` }),
    ];
  }
  return [];
}
