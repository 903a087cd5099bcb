import { ignoreFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { StorePorts } from '../stores/ports.js';
import { originText } from './credential-target.js';

/**
 * Remembers what a caller did not get, for `status`: many of them show nobody what is said on stderr. That this fails,
 * too, is no news to the caller.
 */
export async function rememberFailure(
  ports: Pick<StorePorts, 'failures'> & Pick<CorePorts, 'clock'>,
  what: { readonly format: string; readonly origin: string },
  code: string,
): Promise<void> {
  await ports.failures.keep({ ...what, at: ports.clock.now(), code }).catch(ignoreFailure);
}

/** What was remembered of an origin is over. Nothing else fails because this does. */
export async function forgetFailures(
  ports: Pick<StorePorts, 'failures'>,
  server: string,
  format?: string,
): Promise<void> {
  await ports.failures.forget(originText(server), format).catch(ignoreFailure);
}
