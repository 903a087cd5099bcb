import type { CommandExit } from '../core/command.js';
import { exitCode, Failure } from '../core/failure.js';
import { ruleInWords } from '../core/rules.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { fitted, readerLook } from '../core/text/layout.js';
import { printable } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import { validateClientId } from '../oauth/client-metadata/client-id.js';
import { fetchClientMetadata, validateDelivery } from '../oauth/client-metadata/delivery.js';
import { validateDocument } from '../oauth/client-metadata/document.js';
import { type Finding, fails, findingsAbout, warns } from '../oauth/client-metadata/finding.js';
import type { StorePorts } from '../stores/ports.js';
import { clientKeysOf } from '../tokens/client-keys.js';
import type { DocumentArguments } from './client-metadata.options.js';
import { readDocument } from './documents.js';
import type { ClientMetadataWorld } from './ports.js';

const makeAgain =
  'Make the document again: postern client-metadata init, with --auth private_key_jwt or, to drop the key, --auth none.';
const makeKey = 'Log in where the key was made, or make one here: postern client-metadata init --auth private_key_jwt';

/** A finding, and where it was made. */
type LocatedFinding = Finding & { readonly where: 'file' | 'served' };

export interface DocumentCheck {
  /** The address that was, or would have been, asked. */
  readonly url: string | undefined;
  readonly findings: readonly LocatedFinding[];
  /** Why the address could not be asked at all; not given when it was, or was not to be. */
  readonly unreachable?: Failure;
  readonly fetched: boolean;
}

type Needs = Pick<HttpPorts, 'http'> & Pick<StorePorts, 'index'>;

/**
 * Checks a client ID metadata document by the rules 2.3, 4.4 and 5.7: a local file, what its address really serves, and
 * both against each other; or an address alone. The address is asked as a careful authorization server asks: https
 * only, nothing sent along, no redirect followed, 5 seconds.
 * @throws Failure of the index, the signal's reason
 */
export async function checkDocument(
  ports: Needs,
  request: {
    readonly file: Uint8Array | undefined;
    /** Undefined: the file's own `client_id`. */
    readonly url: string | undefined;
    /** Asks nobody. */
    readonly offline: boolean;
    readonly signal: AbortSignal;
  },
): Promise<DocumentCheck> {
  const { file, offline, signal } = request;
  const local = file && validateDocument(file, request.url);
  const url = request.url ?? (local?.object && stringField(local.object, 'client_id'));
  const ofAddress = url === undefined ? [] : validateClientId(url).filter(({ verdict }) => verdict === 'failure');
  const inFile = located('file', [...(local?.findings ?? []), ...(await validateOwnKeys(ports, local?.object, url))]);
  if (url === undefined || offline || ofAddress.length > 0) {
    return { url, findings: local === undefined ? located('served', ofAddress) : inFile, fetched: false };
  }
  const served = await checkServed(ports, { url, local: local?.object, signal });
  // A finding about both is printed once.
  const isNew = ({ code, what }: Finding) => !inFile.some((one) => one.code === code && one.what === what);
  return { url, ...served, findings: [...inFile, ...served.findings.filter(isNew)] };
}

async function checkServed(
  ports: Needs,
  request: { readonly url: string; readonly local: JsonObject | undefined; readonly signal: AbortSignal },
): Promise<Omit<DocumentCheck, 'url'>> {
  const { url, local } = request;
  const served = (findings: readonly Finding[]) => ({ findings: located('served', findings), fetched: true });
  try {
    const response = await fetchClientMetadata(ports.http, request);
    const delivery = validateDelivery(response);
    if (response.status !== 200) return served(delivery);
    const { object, findings } = validateDocument(response.bytes, url);
    const own = await validateOwnKeys(ports, object, url);
    return served([...delivery, ...findings, ...own, ...differences(local, object)]);
  } catch (error) {
    if (!(error instanceof Failure) || request.signal.aborted) throw error;
    if (error.code !== 'too_large') return { findings: [], unreachable: error, fetched: false };
    const what = 'The address serves far more than the 5 KiB that authorization servers read.';
    return served(
      findingsAbout('too_large', 'R-5.8g, CIMD section 6.6', fails(what, 'Serve the document, and only that.')),
    );
  }
}

/** Members are compared as values: line breaks and the order of members are no difference. */
function differences(file: JsonObject | undefined, served: JsonObject | undefined): readonly Finding[] {
  if (file === undefined || served === undefined) return [];
  const names = [...new Set([...Object.keys(file), ...Object.keys(served)])];
  const differing = names.filter((name) => canonical(file[name]) !== canonical(served[name]));
  const known = differing.map((name) => printable(name, 60)).join(', ');
  const what = `What is served differs from the file in: ${known}.`;
  const problem = fails(what, 'Publish the folder again, or wait until caches have run out.');
  return findingsAbout('served_differs', 'R-5.7a', differing.length > 0 && problem);
}

function canonical(value: JsonObject[string] | undefined): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

function located(where: LocatedFinding['where'], findings: readonly Finding[]): readonly LocatedFinding[] {
  return findings.map(({ rule, ...finding }) => ({ ...finding, rule: ruleInWords(rule), where }));
}

/**
 * Do the keys that a document publishes go with the private ones that are kept on this machine for its address? The
 * document may be right and belong to another machine, so that this is no failure of its own.
 */
async function validateOwnKeys(
  ports: Needs,
  document: JsonObject | undefined,
  url: string | undefined,
): Promise<readonly Finding[]> {
  if (document === undefined || url === undefined) return [];
  const kept = await clientKeysOf(ports, { issuer: undefined, clientId: url });
  const isByKey = document['token_endpoint_auth_method'] === 'private_key_jwt';
  const keys = asObject(document['jwks'])?.['keys'];
  const published = Array.isArray(keys) ? keys.map((key) => asObject(key)?.['kid']) : [];
  const unpublished =
    'A private key is kept here for this address, and the document does not say private_key_jwt: logins from here are refused.';
  const notHere = 'The private half of none of its keys is kept on this machine: logins from here are refused.';
  const isHere = kept.some(({ keyId }) => published.includes(keyId));
  return [
    ...findingsAbout('key_unpublished', 'R-2.3c', !isByKey && kept.length > 0 && warns(unpublished, makeAgain)),
    ...findingsAbout('key_not_here', 'R-2.3c', isByKey && !isHere && warns(notHere, makeKey)),
  ];
}

/** `client-metadata check`: findings on stdout; exit code 5 when a rule is broken. */
export async function check(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const { signal, out, json } = world;
  const configured = args.url ?? (await world.configuration()).clientMetadataUrl ?? world.clientMetadataUrl;
  const word = args.target ?? configured;
  const isUrl = word !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
  const there = isUrl ? undefined : await readDocument(world, word);
  world.progress.begin('Checking');
  const result = await checkDocument(world, {
    file: there?.bytes,
    url: isUrl ? word : undefined,
    offline: args.offline,
    signal,
  });
  world.progress.end();
  const { url, fetched, findings, unreachable } = result;
  const holds = findings.every(({ verdict }) => verdict !== 'failure');
  // What cannot be reached is the network’s failure, unless something else is known to be wrong.
  if (holds && unreachable !== undefined) {
    if (!json && there !== undefined) for (const line of linesOf(there.path, result)) world.tell(line);
    throw unreachable;
  }
  if (json) {
    const file = there?.path ?? null;
    await out.json({ holds, file, url: url ?? null, fetched, unreachable: unreachable?.code ?? null, findings });
  } else {
    const { width } = readerLook(world);
    await out.line(
      linesOf(there?.path, result)
        .flatMap((line) => fitted(line, width, /^(?:FAILS|note) /.test(line) ? 6 : 0))
        .join('\n'),
    );
  }
  return holds ? 0 : exitCode.serverBreaksRules;
}

const words = { failure: 'FAILS', warning: 'note' } as const;

/** For a person: each finding with its rule and its remedy, then the sum. */
function linesOf(path: string | undefined, check: DocumentCheck): readonly string[] {
  const { findings, fetched, unreachable } = check;
  const url = check.url === undefined ? undefined : printable(check.url);
  const lines = findings.flatMap(({ rule, verdict, what, remedy, where }) => {
    const prefix = path === undefined ? '' : where === 'file' ? 'in the file: ' : 'served: ';
    return [`${words[verdict].padEnd(5)} ${prefix}${what} [${rule}]`, `      ${remedy}`];
  });
  const broken = findings.filter(({ verdict }) => verdict === 'failure').length;
  const notes = findings.length - broken;
  const subjects = [path === undefined ? undefined : printable(path), fetched ? url : undefined]
    .filter((one) => one !== undefined)
    .join(', and what is served at ');
  const sum =
    broken === 0
      ? `Holds: ${subjects}`
      : `${broken} ${broken === 1 ? 'rule is' : 'rules are'} broken${subjects === '' ? '' : `: ${subjects}`}`;
  lines.push(notes === 0 ? sum : `${sum} (${notes} ${notes === 1 ? 'note' : 'notes'})`);
  if (fetched || unreachable !== undefined) return lines;
  return [...lines, url === undefined ? 'Nothing was asked: there is no address.' : `${url} was not asked.`];
}
