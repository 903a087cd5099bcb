import { jsonResponse } from '../wire/response.js';
import {
  type Exchange,
  type Fault,
  faultsAt,
  type JsonObject,
  reclaimed,
  rewriteFault,
  textOf,
  withText,
} from './fault.js';

/** G: what the platform signs for a workload (RFC 7523), and what becomes of it. */
export function workloadFaults(): readonly Fault[] {
  return [
    token('workload-other-audience', 'the platform’s token is for a cluster', () => ({
      aud: ['https://kubernetes.default.svc.cluster.local'],
    })),
    token('workload-two-audiences', 'the platform’s token is for another server, too', ({ aud }) => ({
      aud: [String(aud), 'https://another.invalid'],
    })),
    token('workload-expired', 'the platform’s token has expired', () => ({ exp: 1_700_000_000 })),
    token('workload-too-early', 'the platform’s token is not valid yet', ({ exp }) => ({ nbf: Number(exp) + 3600 })),
    token('workload-unsigned', 'the platform’s token is not signed', () => ({}), { alg: 'none' }),
    faultsAt('token').instead('workload-refused', [62], 'each platform’s token is refused', ({ params }) =>
      params.has('assertion') || params.has('client_assertion')
        ? jsonResponse(400, { error: 'invalid_grant', error_description: 'no such workload' })
        : undefined,
    ),
  ];
}

function token(name: string, what: string, change: (claims: JsonObject) => JsonObject, header?: JsonObject): Fault {
  return rewriteFault(name, [62], what, isOfPlatform, (_exchange, response) =>
    withText(response, `${reclaimed(textOf(response).trim(), change, header)}\n`),
  );
}

const isOfPlatform = ({ path }: Exchange) => path.endsWith('/workload/token');
