import { Secret } from '../../core/secret.js';
import { withSecretHeaders } from '../../core/text/secret-headers.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../../http/request.js';
import type { LoginProofs, ProofChange } from '../../tokens/login-proofs.js';

/**
 * An HTTP client that sends a proof with each request that has a Bearer token, in place of that scheme.
 * @param changed Called with what a refusal changes in the next proof.
 */
export function provingHttp(http: HttpClient, bound: LoginProofs, changed: (change: ProofChange) => void): HttpClient {
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { url, method, headers = [] } = request;
    const token = bearerIn(headers);
    if (token === undefined) return await http.send(request);
    const bearer = [{ name: 'authorization', value: new Secret(`Bearer ${token.reveal()}`) }];
    const tried: ProofChange[] = bound.isBare ? [{ kind: 'bearer' }] : [];
    for (;;) {
      const last = tried.at(-1);
      const own = bound.headers({ method, url, token }, last, bearer);
      const response = await http.send({ ...request, headers: withSecretHeaders(headers, own) });
      const all = (wanted: string) => response.headers.flatMap(([name, value]) => (name === wanted ? value : []));
      const seen = {
        status: response.status,
        challenges: all('www-authenticate'),
        header: (name: string) => all(name)[0],
      };
      bound.learn(url, seen, last);
      const change = response.status === 401 ? bound.afterRefusal(url, seen, tried) : undefined;
      if (change === undefined) return response;
      await response[Symbol.asyncDispose]();
      changed(change);
      tried.push(change);
    }
  };
  return { ...http, send };
}

function bearerIn(headers: NonNullable<HttpRequest['headers']>): Secret | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  return value.startsWith('Bearer ') ? new Secret(value.slice('Bearer '.length)) : undefined;
}
