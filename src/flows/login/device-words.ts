import { printable } from '../../primitives/printable.js';
import type { DeviceAuthorization } from '../../protocol/oauth/device-authorization.js';

/** Longest address that is shown. */
const longestShown = 2048;

/**
 * What the person is shown of a code (RFC 8628 section 3.3): where to type it, and the address that has it in it
 * already. `beside`: another address stands above.
 */
export function deviceLines(
  device: DeviceAuthorization,
  about: { readonly timeoutMs: number; readonly beside: boolean },
): readonly string[] {
  const { verificationUri, verificationUriComplete, userCode, lifetimeMs } = device;
  const seconds = Math.floor(Math.min(lifetimeMs, about.timeoutMs) / 1000);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.floor(seconds / 60), 'minute'];
  const complete =
    verificationUriComplete === undefined || verificationUriComplete === verificationUri
      ? []
      : [
          'This address has the code in it; check that the page shows the same one:',
          `  ${printable(verificationUriComplete, longestShown)}`,
        ];
  return [
    about.beside
      ? 'Or, with no way back here needed, open this address on any computer or phone:'
      : 'Open this address in a browser, on any computer or phone:',
    `  ${printable(verificationUri, longestShown)}`,
    `and type this code there:  ${printable(userCode, 64)}`,
    ...complete,
    `The code is good for ${count} ${unit}${count === 1 ? '' : 's'}.`,
  ];
}

/** The code for a program that reads events. */
export function deviceEvent({ userCode, verificationUri, verificationUriComplete }: DeviceAuthorization) {
  return {
    event: 'device_code',
    userCode,
    verificationUri,
    ...(verificationUriComplete === undefined ? {} : { verificationUriComplete }),
  };
}
