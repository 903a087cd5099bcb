import type { DocumentServers } from '../client-metadata/ports.js';
import type { Clock } from '../core/ports.js';
import type { OutboundDoor } from '../http/request.js';
import type { Browser, CallbackListeners } from '../login/ports.js';
import type { NeighboursOptions } from '../setup/machine/external-programs.js';
import type { Neighbours } from '../setup/ports.js';
import type {
  Attempts,
  CredentialIndex,
  FormatFailures,
  HandedOut,
  Locks,
  Recovery,
} from '../stores/ports.js';
import { once } from '../stores/stores.js';

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
      const { createDocumentServers } = await import('../client-metadata/document-server.js');
      return createDocumentServers({ clock, certificateFile }).serve(options);
    },
  };
}

export function lateNeighbours(options: NeighboursOptions): () => Promise<Neighbours> {
  return async () => {
    const { createNeighbours } = await import('../setup/machine/external-programs.js');
    return createNeighbours(options);
  };
}
