import type { Home } from '../support/home.js';
import { startProgram } from '../support/program.js';
import { type BridgeHost, hostOf } from './host.js';

/** The built bridge, in a process of its own. */
export function startBuiltBridge(home: Home, url: string, ...options: readonly string[]): BridgeHost {
  return hostOf(startProgram(home, ['bridge', url, ...options]));
}
