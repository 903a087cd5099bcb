import type { LoginRecord } from '../../support/product.js';

/** A login in the index, made an hour before it expires, on 2026-11-23 at midnight. */
export function loginRecord(changes: Readonly<Record<string, unknown>>): LoginRecord {
  const now = Date.UTC(2026, 10, 23);
  return {
    key: 'a'.repeat(64),
    server: 'https://mcp.example/mcp',
    resource: 'https://mcp.example/mcp',
    issuer: 'https://as.example',
    clientId: 'a-client',
    account: 'default',
    scopes: [],
    expiresAt: now + 3_600_000,
    obtainedAt: now,
    refreshable: true,
    store: 'keychain',
    zone: 'public',
    registration: 'dynamic',
    generation: 1,
    ...(changes as Partial<LoginRecord>),
  };
}
