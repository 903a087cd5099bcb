import { asciiJson } from '../core/text/printable.js';
import { localKeyHeader } from './forwarded-headers.js';
import type { ProxyMount, RunningProxy } from './ports.js';

/** What is said of a proxy that listens. */
export interface ShownProxy {
  readonly proxy: Pick<RunningProxy, 'origin' | 'key'>;
  readonly mounts: readonly Pick<ProxyMount, 'name' | 'server'>[];
  readonly socket: string | undefined;
}

/** The address of the one server; of several, a line each with the name in front. */
export function proxyLines(shown: ShownProxy): string {
  const several = shown.mounts.length > 1;
  return shown.mounts.map(({ name }) => `${several ? `${name} ` : ''}${urlOf(shown, name)}\n`).join('');
}

export function proxyJson(shown: ShownProxy): string {
  const { proxy, mounts, socket } = shown;
  const servers = mounts.map(({ name, server }) => ({ name, server, url: urlOf(shown, name) }));
  const key = proxy.key === undefined ? {} : { key: proxy.key.reveal(), key_header: localKeyHeader };
  return `${asciiJson({ origin: proxy.origin, ...(socket === undefined ? {} : { socket }), ...key, servers })}\n`;
}

function urlOf({ proxy }: ShownProxy, name: string): string {
  const key = proxy.key === undefined ? '' : `/${proxy.key.reveal()}`;
  return `${proxy.origin}${key}/${name}`;
}
