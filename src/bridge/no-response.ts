import type { Failure } from '../core/failure.js';
import type { Outcome, Refusal } from '../mcp/exchange.js';
import { protocolBroken, resultMissing, statusFailed } from '../mcp/failures.js';
import { serverWords } from '../tokens/server-words.js';
import { responseMissing } from './failures.js';

/** Why a request has no response, by how its exchange ended. */
export function noResponse(server: string, method: string, outcome: Outcome | undefined): Failure {
  if (outcome?.kind === 'refused') return refusedBy(server, outcome);
  if (outcome?.kind === 'stream' && (outcome.error !== undefined || method !== 'server/discover'))
    return responseMissing(server, outcome.error);
  if (outcome?.kind === 'empty' && outcome.status !== 200) return resultMissing(server, outcome.status);
  return protocolBroken(server, `it gave no answer to ${method}`);
}

export function refusedBy(server: string, refused: Refusal): Failure {
  return statusFailed(server, refused, serverWords(refused));
}
