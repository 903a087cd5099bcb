import { ignoreFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { StorePorts } from '../stores/ports.js';
import { originText } from './credential-target.js';

/** Remembers for `status` what a caller did not get: many callers hide stderr. Failures of this are ignored. */
export async function rememberFailure(
  ports: Pick<StorePorts, 'failures'> & Pick<CorePorts, 'clock'>,
  what: { readonly format: string; readonly origin: string },
  code: string,
): Promise<void> {
  await ports.failures.keep({ ...what, at: ports.clock.now(), code }).catch(ignoreFailure);
}

/** Forgets what was remembered of an origin. Failures of this are ignored. */
export async function forgetFailures(
  ports: Pick<StorePorts, 'failures'>,
  server: string,
  format?: string,
): Promise<void> {
  await ports.failures.forget(originText(server), format).catch(ignoreFailure);
}
