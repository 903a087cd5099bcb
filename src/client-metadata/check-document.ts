import { Failure } from '../core/failure.js';
import { asObject, type JsonObject } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import { validateClientId } from '../oauth/client-metadata/client-id.js';
import { fetchClientMetadata, validateDelivery } from '../oauth/client-metadata/delivery.js';
import { validateDocument } from '../oauth/client-metadata/document.js';
import { type Finding, findingsOf } from '../oauth/client-metadata/finding.js';
import type { StorePorts } from '../stores/ports.js';
import { clientKeysOf } from '../tokens/client-keys.js';

const found = findingsOf({
  too_large: ['failure', 'R-5.8g, CIMD section 6.6', 'Serve the document, and only that.'],
  served_differs: ['failure', 'R-5.7a', 'Publish the folder again, or wait until caches have run out.'],
  key_unpublished: [
    'warning',
    'R-2.3c',
    'Make the document again: postern client-metadata init, with --auth private_key_jwt or, to drop the key, --auth none.',
  ],
  key_not_here: [
    'warning',
    'R-2.3c',
    'Log in where the key was made, or make one here: postern client-metadata init --auth private_key_jwt',
  ],
});

/** A finding, and where it was made. */
export interface PlacedFinding extends Finding {
  readonly where: 'file' | 'served';
}

export interface DocumentCheck {
  /** The address that was, or would have been, asked. */
  readonly url: string | undefined;
  readonly findings: readonly PlacedFinding[];
  /** Why the address could not be asked at all; undefined when it was, or was not to be. */
  readonly unreachable: Failure | undefined;
  readonly fetched: boolean;
}

/**
 * Checks a client ID metadata document by the rules 2.3, 4.4 and 5.7: a local file, what its address really serves, and
 * both against each other; or an address alone. The address is asked as a careful authorization server asks: https
 * only, nothing sent along, no redirect followed, 5 seconds.
 * @throws Failure of the index, the signal's reason
 */
export async function checkDocument(
  ports: Pick<HttpPorts, 'http'> & Pick<StorePorts, 'index'>,
  request: {
    readonly file: Uint8Array | undefined;
    /** Undefined: the file's own `client_id`. */
    readonly url: string | undefined;
    /** Asks nobody. */
    readonly offline: boolean;
    readonly signal: AbortSignal;
  },
): Promise<DocumentCheck> {
  const { file, signal } = request;
  const local = file === undefined ? undefined : validateDocument(file, request.url);
  const url = request.url ?? textOf(local?.object?.['client_id']);
  const own = url === undefined || local?.object === undefined ? [] : await validateOwnKeys(ports, local.object, url);
  const inFile = placed([...(local?.findings ?? []), ...own], 'file');
  const addressWrong = url === undefined ? [] : validateClientId(url).filter(({ verdict }) => verdict === 'failure');
  if (url === undefined || request.offline || addressWrong.length > 0) {
    const findings = local === undefined ? placed(addressWrong, 'served') : inFile;
    return { url, findings, unreachable: undefined, fetched: false };
  }
  const served = await checkServed(ports, { url, local: local?.object, signal });
  return { url, ...served, findings: [...inFile, ...repeatedOnce(served.findings, inFile)] };
}

async function checkServed(
  ports: Pick<HttpPorts, 'http'> & Pick<StorePorts, 'index'>,
  request: { readonly url: string; readonly local: JsonObject | undefined; readonly signal: AbortSignal },
): Promise<Omit<DocumentCheck, 'url'>> {
  const { url, local } = request;
  try {
    const answer = await fetchClientMetadata(ports.http, request);
    const delivery = validateDelivery(answer);
    if (answer.status !== 200) return { findings: placed(delivery, 'served'), unreachable: undefined, fetched: true };
    const { object, findings } = validateDocument(answer.bytes, url);
    const compared = local === undefined || object === undefined ? [] : differences(local, object);
    const own = object === undefined ? [] : await validateOwnKeys(ports, object, url);
    const all = placed([...delivery, ...findings, ...own, ...compared], 'served');
    return { findings: all, unreachable: undefined, fetched: true };
  } catch (error) {
    if (!(error instanceof Failure) || request.signal.aborted) throw error;
    if (error.code !== 'too_large') return { findings: [], unreachable: error, fetched: false };
    const what = 'The address serves far more than the 5 KiB that authorization servers read.';
    return { findings: placed(found({ too_large: what }), 'served'), unreachable: undefined, fetched: true };
  }
}

/** Members are compared as values: line breaks and the order of members are no difference. */
function differences(file: JsonObject, served: JsonObject): readonly Finding[] {
  const names = [...new Set([...Object.keys(file), ...Object.keys(served)])];
  const differing = names.filter((name) => canonical(file[name]) !== canonical(served[name]));
  if (differing.length === 0) return [];
  const known = differing.map((name) => printable(name, 60)).join(', ');
  return found({ served_differs: `What is served differs from the file in: ${known}.` });
}

function canonical(value: JsonObject[string] | undefined): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}

/** What is wrong with the file and served just so is told once. */
function repeatedOnce(served: readonly PlacedFinding[], inFile: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return served.filter(({ code, what }) => !inFile.some((one) => one.code === code && one.what === what));
}

function placed(findings: readonly Finding[], where: PlacedFinding['where']): readonly PlacedFinding[] {
  return findings.map((finding) => ({ ...finding, where }));
}

function textOf(value: JsonObject[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Do the keys that a document publishes go with the private ones that are kept on this machine for its address? The
 * document may be right and belong to another machine, so that this is no failure of its own.
 */
export async function validateOwnKeys(
  ports: Pick<StorePorts, 'index'>,
  document: JsonObject,
  url: string,
): Promise<readonly Finding[]> {
  const kept = await clientKeysOf(ports, { issuer: undefined, clientId: url });
  if (document['token_endpoint_auth_method'] !== 'private_key_jwt') {
    if (kept.length === 0) return [];
    return found({
      key_unpublished:
        'A private key is kept here for this address, and the document does not say private_key_jwt: logins from here are refused.',
    });
  }
  const keys = asObject(document['jwks'])?.['keys'];
  const published = Array.isArray(keys) ? keys.map((key) => asObject(key)?.['kid']) : [];
  if (kept.some(({ keyId }) => published.includes(keyId))) return [];
  return found({
    key_not_here: 'The private half of none of its keys is kept on this machine: logins from here are refused.',
  });
}
