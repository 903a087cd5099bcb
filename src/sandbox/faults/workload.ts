import { jsonResponse } from '../wire/response.js';
import { type Exchange, type Fault, insteadFault, type JsonObject, withText } from './fault.js';

/** G: what the platform signs for a workload (RFC 7523), and what becomes of it. */
export function workloadFaults(): readonly Fault[] {
  return [
    token('workload-other-audience', 'the platform’s token is for a cluster', (claims) => ({
      ...claims,
      aud: ['https://kubernetes.default.svc.cluster.local'],
    })),
    token('workload-two-audiences', 'the platform’s token is for another server, too', (claims) => ({
      ...claims,
      aud: [String(claims['aud']), 'https://another.invalid'],
    })),
    token('workload-expired', 'the platform’s token has expired', (claims) => ({ ...claims, exp: 1_700_000_000 })),
    token('workload-too-early', 'the platform’s token is not valid yet', (claims) => ({
      ...claims,
      nbf: Number(claims['exp']) + 3600,
    })),
    token('workload-unsigned', 'the platform’s token is not signed', (claims) => claims, { alg: 'none' }),
    insteadFault(
      'token',
      { name: 'workload-refused', rows: [62], what: 'each platform’s token is refused' },
      ({ params }) =>
        params.has('assertion') || params.has('client_assertion')
          ? jsonResponse(400, { error: 'invalid_grant', error_description: 'no such workload' })
          : undefined,
    ),
  ];
}

/** A token of the platform with other claims: whoever looks at it does not send it, so its signature does not matter. */
function token(
  name: string,
  what: string,
  change: (claims: JsonObject) => JsonObject,
  header: JsonObject = { alg: 'ES256', typ: 'JWT' },
): Fault {
  return {
    name,
    rows: [62],
    what,
    rewrite: (exchange, response) => {
      if (!isOfPlatform(exchange)) return response;
      const [, payload = '', signature = ''] = Buffer.from(response.body as Uint8Array)
        .toString()
        .trim()
        .split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject;
      const parts = [header, change(claims)].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      return withText(response, `${[...parts, header['alg'] === 'none' ? '' : signature].join('.')}\n`);
    },
  };
}

const isOfPlatform = ({ path }: Exchange) => path.endsWith('/workload/token');
