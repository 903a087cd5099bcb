/** The scopes of the sandbox's protected server, and what each lets a client do, in words. */
export const resourceScopes = {
  'mcp:basic': 'Use the tools that everyone may use',
  'notes:read': 'Read your notes',
  'notes:write': 'Write and delete your notes',
  'upstream:read': 'Read your profile at the upstream, another service, which would be asked next',
} as const;

/** The scope for which this server goes to the upstream on behalf of a person. */
export const upstreamScope = 'upstream:read';

/** OpenID Connect's own scopes. */
const openidScopes = {
  openid: 'Learn which account you use, with its name and e-mail address',
  profile: 'Learn the name of your account',
  email: 'Learn the e-mail address of your account',
  offline_access: 'Stay logged in when you are away',
} as const;

/** What a request without `scope` asks for (RFC 6749 section 3.3). */
export const defaultScope = 'mcp:basic';

const words: ReadonlyMap<string, string> = new Map(Object.entries({ ...resourceScopes, ...openidScopes }));

export const allScopes: readonly string[] = [...words.keys()];

/** What a known scope means; undefined for any other. */
export function scopeInWords(scope: string): string | undefined {
  return words.get(scope);
}
