/** As MCP 2025-11-25 names it: later drafts count their sections anew. */
const draft = 'Client ID Metadata Document draft 00';

/** What a rule of the project's rule table rests on, by its id: the section, called as it is published (MCP 2025-11-25). */
const sources: Readonly<Record<string, string>> = {
  'R-2.1a': 'RFC 9728 section 2, Protected Resource Metadata',
  'R-2.1b': 'RFC 9728 section 7.6, Authorization Servers',
  'R-2.1d': 'RFC 9728 section 3.3, Protected Resource Metadata Validation',
  'R-2.2b': 'RFC 7591 section 3, Client Registration Endpoint',
  'R-2.3a': 'MCP authorization, Client ID Metadata Documents',
  'R-2.3b': 'RFC 7591 section 2, Client Metadata',
  'R-2.3c': 'RFC 7591 section 2, Client Metadata',
  'R-2.4a': 'RFC 9110 section 11.6.1, WWW-Authenticate',
  'R-2.5a': 'RFC 8707 section 2, Resource Parameter',
  'R-2.5b': 'RFC 6749 section 10.12, Cross-Site Request Forgery',
  'R-2.5d': 'RFC 8252 section 7.3, Loopback Interface Redirection',
  'R-4.2a': 'RFC 9728 section 5.1, WWW-Authenticate Response',
  'R-4.2b': 'RFC 9728 section 3.1, Protected Resource Metadata Request',
  'R-4.3a': 'RFC 8414 section 3.1, Authorization Server Metadata Request',
  'R-4.3b': 'RFC 8414 section 3.1, Authorization Server Metadata Request',
  'R-4.3c': 'RFC 8414 section 3.3, Authorization Server Metadata Validation',
  'R-4.4a': 'RFC 9111 section 5.2, Cache-Control',
  'R-4.6a': 'MCP authorization, Client Registration Approaches',
  'R-5.3a': 'MCP authorization, Authorization Flow Steps',
  'R-5.3b': 'RFC 8414 section 2, Authorization Server Metadata',
  'R-5.6c': 'MCP authorization, Step-Up Authorization Flow',
  'R-5.7a': `${draft} section 4, Client Information Discovery`,
  'R-5.8a': 'OAuth 2.1 section 4.3.1, Token Endpoint Extension',
  'R-5.8b': 'MCP authorization, Token Theft',
  'R-5.8c': 'MCP authorization, Communication Security',
  'R-5.8d': 'MCP authorization, Communication Security',
  'R-5.8g': `${draft} section 6, Security Considerations`,
  'R-7.1': 'MCP authorization, Error Handling',
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
