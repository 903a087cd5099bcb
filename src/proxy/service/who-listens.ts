import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { isFailure, systemCode } from '../../core/failure.js';
import { parseObject } from '../../core/text/json.js';
import type { HttpPorts } from '../../http/request.js';
import { type Refusal, refusal } from '../refusal.js';
import { isProof, proofOf, type ServiceRecord } from './record.js';

/** `ours`: the service of that record. `other`: somebody else's program. `silent`: a connection that nobody answers. */
export type Listener = 'ours' | 'other' | 'nobody' | 'silent';

/** A service that has to be started for it needs some seconds on a slow machine; in milliseconds. */
const limitMs = 10_000;

const maxBytes = 65_536;

/** What the service says to who asks whether it is the one. It costs no key, and tells nothing to who has no record of it. */
export function prover(record: Pick<ServiceRecord, 'proof' | 'port'>): (target: string) => Refusal | undefined {
  return (target) => {
    const nonce = /^\/\.postern\/([\w-]{22,64})$/.exec(target)?.[1];
    return nonce === undefined ? undefined : { ...refusal('key_needed'), proof: proofOf(record, nonce) };
  };
}

/** Asks who listens at the port of a service. No key is sent: whoever listens there may be anybody. */
export async function whoListens(
  { http }: HttpPorts,
  record: Pick<ServiceRecord, 'proof' | 'port'>,
  signal: AbortSignal,
): Promise<Listener> {
  const nonce = randomBytes(24).toString('base64url');
  try {
    await using response = await http.send({
      url: `http://127.0.0.1:${record.port}/.postern/${nonce}`,
      method: 'GET',
      namedBy: 'person',
      redirects: 'report',
      limits: { totalMs: limitMs, headersMs: limitMs, maxBytes },
      signal,
    });
    const said = parseObject(await response.bytes())?.['proof'];
    return typeof said === 'string' && isProof(record, nonce, said) ? 'ours' : 'other';
  } catch (error) {
    signal.throwIfAborted();
    if (!isFailure(error)) throw error;
    if (error.code === 'timed_out') return 'silent';
    return systemCode(error.cause) === 'ECONNREFUSED' ? 'nobody' : 'other';
  }
}

/** Could that port of 127.0.0.1 be listened at just now? */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
