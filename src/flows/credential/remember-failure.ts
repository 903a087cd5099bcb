import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import { originText, targetUrl } from '../../primitives/credential-target.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { WantedCredential } from './find-credential.js';

/** The origin that a failure is remembered under; '' where the caller named none that is known. */
export function originOfWanted(
  { named, target }: Pick<WantedCredential, 'named' | 'target'>,
  login: Pick<LoginRecord, 'server'> | undefined,
): string {
  const url = login?.server ?? target ?? (named?.includes('://') ? named : undefined);
  return url === undefined ? '' : originText(targetUrl(url) ?? '');
}

/**
 * Remembers what a caller did not get, for `status`: many of them show nobody what is said on stderr. That this fails,
 * too, is no news to the caller.
 */
export async function rememberFailure(
  ports: Pick<Ports, 'failures' | 'clock'>,
  what: { readonly format: string; readonly origin: string },
  code: string,
): Promise<void> {
  await quietly(ports.failures.keep({ ...what, at: ports.clock.now(), code }));
}

/** What was remembered of an origin is over. Nothing else fails because this does. */
export async function forgetFailures(
  ports: Pick<Ports, 'failures'>,
  server: string,
  format?: string,
): Promise<void> {
  await quietly(ports.failures.forget(originText(server), format));
}

async function quietly(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
