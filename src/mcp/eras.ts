import { isFailure } from '../core/failure.js';
import { latestProtocolVersion, newestRevision } from '../core/product.js';
import { asObject, type JsonObject, type JsonValue } from '../core/text/json.js';
import { HttpFailed, noCommonRevision } from './failures.js';

/** JSON-RPC errors that only the newer era has (basic/index, error codes). */
export const newerError = { headerMismatch: -32020, capabilityMissing: -32021, revisionUnsupported: -32022 } as const;

/** Only requests of these methods may come back with questions (2026-07-28, basic/patterns/mrtr). */
export const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Most questions in one result. */
export const maxInputs = 20;

/** The first notification of a subscription: what the server agrees to (basic/patterns/subscriptions). */
export const acknowledged = 'notifications/subscriptions/acknowledged';

/** The revisions that a request of the newer era may name, the one that is wanted first. */
const knownRevisions: readonly string[] = [newestRevision, latestProtocolVersion];

/** The texts of a list, such as revisions; none of anything else. */
export function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The outcome of `server/discover`: a response, or why there is none. */
export type Discovery =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code?: JsonValue | undefined; readonly data?: JsonValue | undefined } }
  | { readonly failure: unknown };

/**
 * The revision in which a server of the newer era is spoken with; undefined for one of the older era. A result that names
 * revisions, or an error that only the newer era has, means the newer one; any other response the older, whatever its status.
 * @throws `failure`, where it says nothing of an era; Failure `revision_unknown`
 */
export function newerRevision(server: string, came: Discovery): string | undefined {
  if ('failure' in came) {
    if (saysOlder(came.failure)) return undefined;
    throw came.failure;
  }
  if ('error' in came) {
    const { code, data } = came.error;
    if (code === newerError.revisionUnsupported) return commonRevision(server, asObject(data)?.['supported']);
    return code === newerError.headerMismatch || code === newerError.capabilityMissing ? newestRevision : undefined;
  }
  const theirs = came.result['supportedVersions'];
  return textsIn(theirs).length === 0 ? undefined : commonRevision(server, theirs); // none: a server that echoes
}

/** The revision that both know. @throws Failure `revision_unknown` */
export function commonRevision(server: string, supported: JsonValue | undefined): string {
  const theirs = textsIn(supported);
  const common = knownRevisions.find((one) => theirs.includes(one));
  if (common === undefined) throw noCommonRevision(server, theirs, knownRevisions);
  return common;
}

/** Whether what came instead of a response is of a server that does not know the request. */
export function saysOlder(error: unknown): boolean {
  if (error instanceof HttpFailed) return meansUnknown(error.status);
  return isFailure(error, 'protocol_broken', 'redirect_refused', 'wrong_address');
}

/** Whether a status that is no success may mean an unknown request: a login that is missing, load and faults say nothing. */
export function meansUnknown(status: number): boolean {
  return status < 500 && ![401, 403, 408, 429].includes(status);
}
