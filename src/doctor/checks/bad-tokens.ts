import { isFailure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { bearerChallenge } from '../../oauth/challenge.js';
import { probeWithToken } from '../../oauth/probe.js';
import type { ExaminePorts, Known, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';

/** Step 12: what the server does with tokens that nobody issued. */
export async function checkBadTokens(
  ports: ExaminePorts,
  { server, signal }: ServerTarget,
  known: Known,
  report: Report,
): Promise<void> {
  const byResponse = new Map<string, string[]>();
  for (const [what, token] of madeUpTokens(ports.clock.now(), known)) {
    ports.progress.begin(`Asking ${server} with a token that nobody issued`);
    const response = await responseTo(ports, { server, signal, token: new Secret(token) });
    byResponse.set(response, [...(byResponse.get(response) ?? []), what]);
  }
  for (const [response, tokens] of byResponse) {
    const evidence = `${response} to ${inSentence(tokens)}`;
    const isRight = response === named || (response === 'status 400' && tokens.every((one) => one === malformed));
    if (isRight) report.pass('token', evidence);
    else if (response === 'status 401') report.found('bad-token-unnamed', evidence);
    else report.found(/^status 2/.test(response) ? 'bad-token-taken' : 'bad-token-status', evidence);
  }
}

function inSentence(texts: readonly string[]): string {
  const [last = '', ...others] = texts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

const named = '401 invalid_token';

/** A request with it is malformed by itself, for which 400 is right, too (RFC 6750 section 3.1). */
const malformed = 'a malformed one';

async function responseTo(ports: ExaminePorts, request: Parameters<typeof probeWithToken>[1]): Promise<string> {
  const { exchanges } = ports.http;
  const before = exchanges.length;
  try {
    const { status, challenges } = await probeWithToken(ports, request);
    // Without a token the first request was refused: a server that lets it through takes the token, whatever comes next.
    const first = exchanges[before]?.response?.status ?? status;
    if (isSuccess(first) && !isSuccess(status) && exchanges[0]?.response?.status === 401) return `status ${first}`;
    return status === 401 && namesIt(challenges) ? named : `status ${status}`;
  } catch (error) {
    if (!isFailure(error) || request.signal.aborted) throw error;
    return `no response (${error.message})`;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function namesIt(challenges: readonly string[]): boolean {
  const challenge = bearerChallenge(challenges);
  return challenge.kind === 'bearer' && challenge.error === 'invalid_token';
}

/** None of them opens anything anywhere. */
function madeUpTokens(now: number, { issuer, resource }: Known): readonly (readonly [what: string, token: string])[] {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(now / 1000);
  const claims = {
    iss: issuer,
    aud: resource?.resource,
    sub: 'postern-doctor',
    iat: seconds - 7200,
    exp: seconds - 3600,
  };
  const old = [part({ alg: 'RS256', typ: 'at+jwt' }), part(claims), 'A'.repeat(342)].join('.');
  const unsigned = [part({ alg: 'none', typ: 'at+jwt' }), part({ ...claims, exp: seconds + 3600 }), ''].join('.');
  return [
    ['a made-up token', 'postern-doctor-made-up-token'],
    ['an expired one', old],
    ['an unsigned one', unsigned],
    [malformed, '!!'],
  ];
}
