import type { FormatFailures, HandedOut } from '../ports/callers.js';
import type { DocumentServers } from '../ports/documents.js';
import type { Neighbours } from '../ports/neighbours.js';
import type {
  Attempts,
  Browser,
  CallbackListeners,
  Clock,
  CredentialIndex,
  Locks,
  OutboundDoor,
  Recovery,
  SecretStore,
} from '../ports.js';
import type { NeighboursOptions } from './neighbours/neighbours.js';

/** Ports whose code is loaded, and which are made, at the first use: a command pays only for what it uses. */

/** A door that, never used, has nothing to close. */
export function lateDoor(make: () => Promise<OutboundDoor>): OutboundDoor {
  let door: Promise<OutboundDoor> | undefined;
  const made = () => {
    door ??= make();
    return door;
  };
  return {
    send: async (request) => (await made()).send(request),
    check: async (target) => (await made()).check(target),
    [Symbol.asyncDispose]: async () => {
      const open = await door?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    },
  };
}

export function lateStore(kind: SecretStore['kind'], make: () => Promise<SecretStore>): SecretStore {
  const store = once(make);
  return {
    kind,
    ready: async () => (await store()).ready(),
    read: async (key) => (await store()).read(key),
    write: async (key, value) => (await store()).write(key, value),
    remove: async (key) => (await store()).remove(key),
  };
}

export function lateIndex(make: () => Promise<CredentialIndex>): CredentialIndex {
  const index = once(make);
  return {
    read: async () => (await index()).read(),
    update: async (change) => (await index()).update(change),
  };
}

export function lateAttempts(make: () => Promise<Attempts>): Attempts {
  const attempts = once(make);
  return {
    take: async (name, most, withinMs) => (await attempts()).take(name, most, withinMs),
    allows: async (name, most) => (await attempts()).allows(name, most),
    forget: async (name) => (await attempts()).forget(name),
  };
}

export function lateFailures(make: () => Promise<FormatFailures>): FormatFailures {
  const failures = once(make);
  return {
    read: async () => (await failures()).read(),
    keep: async (failure) => (await failures()).keep(failure),
    forget: async (origin, format) => (await failures()).forget(origin, format),
  };
}

export function lateHandedOut(make: () => Promise<HandedOut>): HandedOut {
  const handedOut = once(make);
  return {
    lately: async (key, now) => (await handedOut()).lately(key, now),
    note: async (token, now) => (await handedOut()).note(token, now),
  };
}

export function lateRecovery(make: () => Promise<Recovery>): Recovery {
  const recovery = once(make);
  return {
    begin: async (key, refresh) => (await recovery()).begin(key, refresh),
    isWaiting: async (key) => (await recovery()).isWaiting(key),
    find: async (key, spent) => (await recovery()).find(key, spent),
    begunElsewhere: async (key, spent) => (await recovery()).begunElsewhere(key, spent),
    forget: async (key) => (await recovery()).forget(key),
  };
}

export function lateLocks(make: () => Promise<Locks>): Locks {
  const locks = once(make);
  return { acquire: async (name, options) => (await locks()).acquire(name, options) };
}

export function lateBrowser(make: () => Promise<Browser>): Browser {
  const browser = once(make);
  return { open: async (url) => (await browser()).open(url) };
}

export function lateListeners(make: () => Promise<CallbackListeners>): CallbackListeners {
  const listeners = once(make);
  return { listen: async (options) => (await listeners()).listen(options) };
}

export function lateDocumentServers(clock: Clock, stateFolder: () => string): DocumentServers {
  const certificateFile = (port: number) => `${stateFolder()}/document-certificate-${port}.pem`;
  return {
    serve: async (options) => {
      const { createDocumentServers } = await import('./document-server/document-servers.js');
      return createDocumentServers({ clock, certificateFile }).serve(options);
    },
  };
}

export function lateNeighbours(options: NeighboursOptions): () => Promise<Neighbours> {
  return async () => {
    const { createNeighbours } = await import('./neighbours/neighbours.js');
    return createNeighbours(options);
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
