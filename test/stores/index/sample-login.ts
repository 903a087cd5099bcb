import { createHash } from 'node:crypto';
import type { LoginRecord } from '../../support/product.js';

/** A login of that name, its key made from it. */
export function loginNamed(name: string): LoginRecord {
  return {
    key: createHash('sha256').update(name).digest('hex'),
    name,
    server: `https://${name}.example/mcp`,
    resource: `https://${name}.example/mcp`,
    issuer: 'https://as.example',
    clientId: 'client',
    account: 'default',
    scopes: ['a'],
    expiresAt: null,
    obtainedAt: 1_800_000_000_000,
    refreshable: true,
    store: 'keychain',
    zone: 'public',
    registration: 'dynamic',
    generation: 1,
  };
}
