/** The draft's name is long: it is written like this in the code. */
const draft = 'Client ID Metadata Document draft';

/** What a rule of the project's rule table rests on, by its id: where people can look it up, and what it is about. */
const sources: Readonly<Record<string, string>> = {
  'R-2.1a': 'RFC 9728 section 2, authorization_servers',
  'R-2.1b': 'RFC 9728 section 7.6, several authorization servers',
  'R-2.1d': 'RFC 9728 section 3.3, resource',
  'R-2.2b': 'RFC 7591 section 3, client registration',
  'R-2.3a': `${draft} section 4.1, client metadata`,
  'R-2.3b': 'RFC 7591 section 2, client metadata',
  'R-2.3c': 'RFC 7591 section 2, jwks',
  'R-2.4a': 'RFC 9110 section 11.6.1, WWW-Authenticate',
  'R-2.5a': 'RFC 8707 section 2, resource',
  'R-2.5b': 'RFC 6749 section 10.12, state',
  'R-2.5d': 'RFC 8252 section 7.3, loopback redirect URIs',
  'R-4.2a': 'RFC 9728 section 5.1, resource_metadata',
  'R-4.2b': 'RFC 9728 section 3.1, well-known address',
  'R-4.3a': 'RFC 8414 section 3.1, issuer with a path',
  'R-4.3b': 'RFC 8414 section 3.1, issuer without a path',
  'R-4.3c': 'RFC 8414 section 3.3, issuer',
  'R-4.4a': 'RFC 9111 section 5.2, Cache-Control',
  'R-4.6a': 'MCP authorization, client registration approaches',
  'R-5.3a': 'MCP authorization, authorization flow steps',
  'R-5.3b': 'RFC 8414 section 2, code_challenge_methods_supported',
  'R-5.6c': 'MCP authorization, step-up authorization flow',
  'R-5.7a': `${draft} section 4, client information discovery`,
  'R-5.8a': 'OAuth 2.1 section 4.3.1, refresh token rotation',
  'R-5.8b': 'MCP authorization, token theft',
  'R-5.8c': 'MCP authorization, communication security',
  'R-5.8d': 'MCP authorization, communication security',
  'R-5.8g': `${draft} section 6, security considerations`,
  'R-7.1': 'MCP authorization, error handling',
};

/** The ids that have a source here. */
export const knownRules: readonly string[] = Object.keys(sources);

/**
 * A rule as people are told it. Parts are divided by commas; an id says nothing to anybody, and where a section stands
 * beside it that one is told.
 * @param rule E.g. `R-4.3c`, `R-5.7a, CIMD section 4`, `RFC 9207 section 2.4`
 */
export function ruleInWords(rule: string): string {
  const parts = rule.split(', ');
  const sections = parts.filter((part) => !(part in sources)).map((part) => part.replace(/^CIMD\b/, draft));
  const shown = sections.length > 0 ? sections : parts.map((part) => sources[part] ?? part);
  return [...new Set(shown)].join('; ');
}
