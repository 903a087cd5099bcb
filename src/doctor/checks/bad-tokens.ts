import { Secret } from '../../core/secret.js';
import { bearerChallenge } from '../../oauth/challenge.js';
import { probeWithToken } from '../../oauth/probe.js';
import { attempt, type Run } from '../run.js';

/** What a server did with a token. */
interface Seen {
  readonly words: string;
  /** 0 where no response came. */
  readonly status: number;
  /** Was it a 401 that names invalid_token? */
  readonly isNamed: boolean;
}

/** Step 12: what the server does with tokens that nobody issued. */
export async function checkBadTokens(run: Run): Promise<void> {
  const { server, report } = run;
  const seen = new Map<string, Seen & { readonly tokens: readonly string[] }>();
  for (const [what, token] of madeUpTokens(run)) {
    run.progress.begin(`Asking ${server} with a token that nobody issued`);
    const response = await responseTo(run, new Secret(token));
    seen.set(response.words, { ...response, tokens: [...(seen.get(response.words)?.tokens ?? []), what] });
  }
  for (const { words, status, isNamed, tokens } of seen.values()) {
    const evidence = `${words} to ${new Intl.ListFormat('en-GB').format(tokens)}`;
    const isRight = isNamed || (status === 400 && tokens.every((one) => one === malformed));
    if (isRight) report.pass('token', evidence);
    else if (status === 401) report.found('bad-token-unnamed', evidence);
    else report.found(isSuccess(status) ? 'bad-token-taken' : 'bad-token-status', evidence);
  }
}

/** A request with it is malformed by itself, for which 400 is right, too (RFC 6750 section 3.1). */
const malformed = 'a malformed one';

async function responseTo(run: Run, token: Secret): Promise<Seen> {
  const { http, server, signal } = run;
  const { exchanges } = http;
  const before = exchanges.length;
  const probe = async (): Promise<Seen> => {
    const { status, challenges } = await probeWithToken(run, { server, signal, token });
    // Without a token the first request was refused: a server that lets it through takes the token, whatever comes next.
    const first = exchanges[before]?.response?.status ?? status;
    const isTaken = isSuccess(first) && !isSuccess(status) && exchanges[0]?.response?.status === 401;
    if (isTaken) return { words: `status ${first}`, status: first, isNamed: false };
    const challenge = bearerChallenge(challenges);
    const isNamed = status === 401 && challenge.kind === 'bearer' && challenge.error === 'invalid_token';
    return { words: isNamed ? '401 invalid_token' : `status ${status}`, status, isNamed };
  };
  const none = (why: string) => ({ words: `no response (${why})`, status: 0, isNamed: false });
  return await attempt(run, probe, ({ message }) => none(message));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** None of them opens anything anywhere. */
function madeUpTokens({ clock, issuer, resource }: Run): readonly (readonly [what: string, token: string])[] {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(clock.now() / 1000);
  const aud = resource?.resource;
  const claims = { iss: issuer, aud, sub: 'postern-doctor', iat: seconds - 7200, exp: seconds - 3600 };
  const old = [part({ alg: 'RS256', typ: 'at+jwt' }), part(claims), 'A'.repeat(342)].join('.');
  const unsigned = [part({ alg: 'none', typ: 'at+jwt' }), part({ ...claims, exp: seconds + 3600 }), ''].join('.');
  return [
    ['a made-up token', 'postern-doctor-made-up-token'],
    ['an expired one', old],
    ['an unsigned one', unsigned],
    [malformed, '!!'],
  ];
}
