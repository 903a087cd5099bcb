import { isFailure } from '../../core/failure.js';
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
  const refused: string[] = [];
  for (const [what, token] of madeUpTokens(ports.clock.now(), known)) {
    ports.progress.begin(`Asking ${server} with a token that nobody issued`);
    try {
      const { status, challenges } = await probeWithToken(ports, { server, signal, token });
      if (status >= 200 && status < 300) report.found('bad-token-taken', `status ${status} to ${what}`);
      else if (status !== 401) report.found('bad-token-status', `status ${status} to ${what}`);
      else if (!namesIt(challenges)) report.found('bad-token-unnamed', `401 to ${what}, without error="invalid_token"`);
      else refused.push(what);
    } catch (error) {
      if (!isFailure(error) || signal.aborted) throw error;
      report.found('bad-token-status', `no response to ${what}: ${error.message}`);
    }
  }
  if (refused.length > 0) report.pass('token', `401 invalid_token to ${refused.join(', to ')}`);
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
    ['one that has run out', old],
    ['one without a signature', unsigned],
    ['a malformed one', '!!'],
  ];
}
