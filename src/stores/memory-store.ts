import type { IndexDocument } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { CredentialIndex, SecretStore } from './ports.js';

/** Secrets of this process alone, gone when it ends: `--store memory`, the demo on a machine without a keychain, tests. */
export function createMemoryStore(): SecretStore {
  const items = new Map<string, Secret>();
  return {
    kind: 'memory',
    ready: () => Promise.resolve(),
    read: (key) => Promise.resolve(items.get(key)),
    write: (key, value) => {
      items.set(key, value);
      return Promise.resolve();
    },
    remove: (key) => Promise.resolve(items.delete(key)),
  };
}

/** What such a store holds, told by this process to itself alone. */
function createMemoryIndex(): CredentialIndex {
  let document: IndexDocument = { version: 1, logins: [], registrations: [] };
  return {
    read: () => Promise.resolve(document),
    update: (change) => {
      document = change(document);
      return Promise.resolve(document);
    },
  };
}

/** Where a login of one command alone is kept. */
export function inMemory(): { readonly store: SecretStore; readonly index: CredentialIndex } {
  return { store: createMemoryStore(), index: createMemoryIndex() };
}

/** For commands that can log in for themselves alone. */
export const memoryOption = {
  name: 'store',
  kind: 'string',
  choices: ['memory'],
  value: 'memory',
  describe:
    'for this command alone: logs in for it, keeps that login in memory, and uses none that is stored; at its end it is forgotten, not revoked',
} as const;

/** Is the login of this command to be its own? */
export function isInMemory(options: object): boolean {
  return 'store' in options && options.store === 'memory';
}

/** The arguments of a command whose login is to be its own: then it has to make one. */
export function withOwnLogin<Arguments extends { readonly login: boolean }>(args: Arguments): Arguments {
  return isInMemory(args) ? { ...args, login: true } : args;
}
