import type { SandboxSettings } from '../options.js';

const oauth = '/.well-known/oauth-authorization-server';

const openid = '/.well-known/openid-configuration';

/**
 * Whether a path is one of the metadata addresses of this issuer (RFC 8414 section 3, OpenID Connect
 * Discovery 1.0 section 4) that answer. All give the same document.
 */
export function isMetadataPath(path: string, issuerPath: string, which: SandboxSettings['metadata']): boolean {
  const responding: Readonly<Record<typeof which, readonly string[]>> = {
    both: [oauth + issuerPath, openid + issuerPath, issuerPath + openid],
    oauth: [oauth + issuerPath],
    openid: [openid + issuerPath, issuerPath + openid],
    'openid-appended': [issuerPath + openid],
    none: [],
  };
  return responding[which].includes(path);
}
