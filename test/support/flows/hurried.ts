import type { LoginPorts } from '../product.js';

/**
 * LoginPorts whose clock does not wait: each pause between two questions moves it, and may bring the person to act.
 * For one login.
 */
export function hurried<Some extends LoginPorts>(ports: Some, act: (pause: number) => Promise<unknown>) {
  const pauses: number[] = [];
  const begun = ports.clock.monotonic();
  let elapsed = 0;
  const clock = {
    ...ports.clock,
    monotonic: () => begun + elapsed,
    sleep: async (ms: number, signal: AbortSignal) => {
      if (ms < 1000) return ports.clock.sleep(ms, signal);
      // The limits of discovery and of the browser's answer, which begin before anything is asked again.
      if (pauses.length === 0 && ms > 15_000) return never(signal);
      pauses.push(ms);
      elapsed += ms;
      await act(pauses.length);
      signal.throwIfAborted();
    },
  };
  return { ports: { ...ports, clock }, pauses };
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
