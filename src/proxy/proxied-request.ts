import type { Admitted } from './admit.js';
import type { ProxiedRequest } from './ports.js';
import type { Refusal } from './refusal.js';

/** What is known of a request that was let in. */
export function partsOf(
  method: string,
  { mounted, target, head }: Admitted,
): Pick<ProxiedRequest, 'method' | 'path' | 'program'> {
  const own = mounted.url.pathname.replace(/\/$/, '');
  const [path = ''] = target.split('?', 1);
  const rest = path.startsWith(own) ? path.slice(own.length) : path;
  const { forward } = head;
  const at = forward.findIndex((name, index) => index % 2 === 0 && /^user-agent$/i.test(name));
  const program = at === -1 ? undefined : forward[at + 1];
  return { method, path: `/${mounted.mount.name}${rest}${path === target ? '' : '?…'}`, program };
}

/** Of one that was not: its address may hold the key, or what somebody tried as one. */
export function refusedRequest(method: string, { status, code }: Refusal): ProxiedRequest {
  return { method, path: undefined, status, ms: 0, program: undefined, refused: code };
}
