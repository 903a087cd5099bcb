/** Which proxy this shell names, for an entry whose program does not pass it on. */
export type ProxyVariables =
  | { readonly kind: 'none' }
  /** It holds a password or a user name: that is for no file. */
  | { readonly kind: 'secret' }
  /** It holds what no proxy's address holds, and some files could not say. */
  | { readonly kind: 'odd' }
  | { readonly kind: 'plain'; readonly variables: Readonly<Record<string, string>> };

/** The variables of the proxy as `system/http/proxy-settings.ts` reads them: lower case first. */
export function proxyVariables(env: Readonly<Record<string, string | undefined>>): ProxyVariables {
  const proxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  const except = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if (proxy === '') return { kind: 'none' };
  if (proxy.includes('@')) return { kind: 'secret' };
  const isPlain =
    /^(?:https?:\/\/)?[A-Za-z0-9._:[\]-]+\/?$/.test(proxy) && /^[A-Za-z0-9._:[\]*,/ -]*$/.test(except);
  return isPlain
    ? { kind: 'plain', variables: { HTTPS_PROXY: proxy, ...(except === '' ? {} : { NO_PROXY: except }) } }
    : { kind: 'odd' };
}

/** The file of authorities that Node.js trusts here beside its own, for those that are started without this variable. */
export function authorityVariables(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? { NODE_EXTRA_CA_CERTS: file } : {};
}
