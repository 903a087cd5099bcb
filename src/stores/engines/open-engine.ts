import { parseEngineAddress } from './address.js';
import { readEngineCredentials } from './credentials.js';
import type { SharedEngine } from './engine.js';
import type { EnginePorts } from './ports.js';

/**
 * The engine at an address, such as `redis:rediss://cache.example:6380`. Nothing is connected to before the first act.
 * @throws Failure `engine_address_refused`, `engine_credentials_unusable`, `path_refused`
 */
export async function openEngine(address: string, ports: EnginePorts): Promise<SharedEngine> {
  const parsed = parseEngineAddress(address);
  const credentials = readEngineCredentials(ports.env);
  const { RedisEngine } = await import('./redis.js');
  return new RedisEngine(parsed, credentials, ports);
}
