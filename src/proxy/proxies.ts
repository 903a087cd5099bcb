import type { DoorOptions } from '../http/origins.js';
import type { Proxies } from './ports.js';

/** Local proxies, whose requests leave under the rules of the door; their keys are secrets like others. */
export function createProxies(options: {
  /** Asked for when a proxy is opened. */
  readonly door: () => Promise<DoorOptions>;
  readonly hold: (secret: string) => void;
}): Proxies {
  return {
    open: async (proxy) => {
      const [{ openLanePlaces }, { openProxy }, { proxyLimits }, door] = await Promise.all([
        import('../http/origins.js'),
        import('./server.js'),
        import('../relay/limits.js'),
        options.door(),
      ]);
      const running = await openProxy(
        openLanePlaces(door, { bounded: 0, stream: proxyLimits.requests, standing: 0 }),
        proxy,
      );
      if (running.key !== undefined) options.hold(running.key.reveal());
      return running;
    },
  };
}
