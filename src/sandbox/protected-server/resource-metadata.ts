import { defaultScope } from '../authorization-server/scopes.js';
import { jsonResponse, type SentResponse } from '../wire/response.js';
import { dpopOf, type ProtectedServerSettings } from './options.js';

const wellKnown = '/.well-known/oauth-protected-resource';

const reported = '/resource-metadata';

/** The paths at which the protected resource metadata is served (RFC 9728 section 3), the best known first. */
export function metadataPaths(settings: ProtectedServerSettings): readonly string[] {
  if (settings.discovery === 'none') return [];
  if (settings.discovery === 'header') return [reported];
  const withPath = `${wellKnown}${new URL(settings.resource).pathname}`;
  return { path: [withPath], root: [wellKnown], both: [withPath, wellKnown] }[settings.wellKnown];
}

/** The document's address as challenges tell it; undefined where they do not. */
export function metadataUrl(settings: ProtectedServerSettings): string | undefined {
  if (settings.discovery === 'well-known' || settings.discovery === 'none') return undefined;
  return `${new URL(settings.resource).origin}${metadataPaths(settings)[0]}`;
}

/** The protected resource metadata (RFC 9728 section 2), or 405 for anything but reading it. */
export function metadataResponse(settings: ProtectedServerSettings, method: string): SentResponse {
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonResponse(405, { error: 'method_not_allowed' }, [['allow', 'GET, HEAD']]);
  }
  const dpop = dpopOf(settings);
  return jsonResponse(200, {
    resource: settings.resource,
    authorization_servers: [settings.issuer],
    scopes_supported: [defaultScope],
    bearer_methods_supported: ['header'],
    ...(dpop === 'off' ? {} : { dpop_signing_alg_values_supported: ['ES256'] }),
    ...(dpop === 'required' ? { dpop_bound_access_tokens_required: true } : {}),
    resource_name: 'Postern sandbox',
  });
}
