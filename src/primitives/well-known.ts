import { originOf, splitUrl } from './url-parts.js';

/**
 * Where the protected resource metadata of a server may stand, in the order to ask (RFC 9728 section 3.1): with
 * the server's path after the well-known one, then at the root; the root alone for a server without a path.
 * The server's query is left out.
 * @param server A canonical URL.
 */
export function protectedResourceMetadataUrls(server: string): readonly string[] {
  const parts = splitUrl(server);
  if (parts === undefined) {
    return [];
  }
  const root = `${originOf(parts)}/.well-known/oauth-protected-resource`;
  return parts.path === '' || parts.path === '/' ? [root] : [`${root}${parts.path}`, root];
}

/**
 * Where the metadata of an issuer may stand, in the order to ask: RFC 8414 section 3.1, then OpenID Connect
 * Discovery with the path inserted, then with the path before it; the first two alone for an issuer without a
 * path. A slash at the issuer's end is left out first, as both documents say.
 * @param issuer An absolute URL that went through the gate.
 */
export function authorizationServerMetadataUrls(issuer: string): readonly string[] {
  const parts = splitUrl(issuer);
  if (parts === undefined) {
    return [];
  }
  const origin = originOf(parts);
  const path = parts.path.endsWith('/') ? parts.path.slice(0, -1) : parts.path;
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
