import assert from 'node:assert/strict';
import { createHttpClient } from '../../src/http/client.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../../src/http/request.js';
import { Failure } from './product.js';

/** A HTTP client with a name service of our own, which counts the questions. */
export interface TestHttp extends HttpClient {
  readonly asked: readonly string[];
}

/** Answers of the name service by host; a list of lists is answered one after the other. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** The real HTTP client; only the name service is made up: whoever is not in `names` does not exist. */
export function testHttp(names: Names = {}, options: Partial<Parameters<typeof createHttpClient>[0]> = {}): TestHttp {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host);
    const answer = names[host];
    if (answer === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return [...answer];
  };
  const http = createHttpClient({ env: {}, userAgent: 'postern-test', resolve, ...options });
  return { ...http, asked };
}

export type Wish = Partial<Omit<HttpRequest, 'limits'>> & { readonly limits?: Partial<HttpRequest['limits']> };

/** A GET by the person with generous limits, unless wished otherwise. */
export function send(http: HttpClient, url: string, wish: Wish = {}): Promise<HttpResponse> {
  return http.send({
    method: 'GET',
    namedBy: 'person',
    redirects: 'report',
    signal: new AbortController().signal,
    ...wish,
    url,
    limits: { totalMs: 20_000, headersMs: 20_000, maxBytes: 256 * 1024, ...wish.limits },
  });
}

/** The answer's text, everything read. */
export async function textOf(response: HttpResponse): Promise<string> {
  return Buffer.from(await response.bytes()).toString('utf8');
}

/** The failure that the work ends with; anything else fails the test. */
export async function failureOf(work: Promise<unknown>, code: string): Promise<Failure> {
  const outcome = await work.then(
    () => assert.fail(`${code} was expected, and the request went through`),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof Failure, `not a Failure: ${outcome}`);
  assert.equal(outcome.code, code, outcome.message);
  return outcome;
}

/** Every text that can be got out of a failure. */
export function everythingIn(failure: Failure): string {
  const parts: string[] = [];
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    parts.push(error.message, error.stack ?? '', JSON.stringify({ ...error }));
  }
  return parts.join('\n');
}
