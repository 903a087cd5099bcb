import type { SecureContext } from 'node:tls';
import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';
import { unlessAborted, within } from '../../core/time.js';
import {
  type Denial,
  engineDenies,
  engineFloods,
  engineNotUnderstood,
  engineTooSlow,
  engineUnreachable,
  engineUnusable,
} from '../failures.js';
import type { EngineAddress, EngineCredentials } from './address.js';

/** What engines need of the world; `app` joins it to the guarded HTTP client and its trust. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly limits: () => Promise<Limits>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Trusted authorities, and a client certificate where the person has set one for that origin. */
  readonly secureContext: (origin: string) => Promise<SecureContext>;
  /** What happened to a connection, in words. */
  readonly networkFailure: (
    error: unknown,
    party: { readonly host: string; readonly port: number },
  ) => Promise<Failure>;
}

export type RedisReply = Buffer | string | number | null | readonly RedisReply[];

/** A command left, and may have been done: no response came. */
export class NoResponse extends Error {
  readonly failure: Failure;
  /** The connection broke, and the time was not over. */
  readonly isBroken: boolean;

  constructor(failure: Failure, isBroken: boolean) {
    super(failure.message, { cause: failure });
    this.name = 'NoResponse';
    this.failure = failure;
    this.isBroken = isBroken;
  }
}

/** Of one response. What is larger is read no further. */
const maxBytes = 64 * 1024 * 1024;

interface OpenClient {
  /** For one command. */
  readonly limitMs: number;
  /** Has a response come that is larger than any of ours? */
  readonly isFlooded: () => boolean;
  readonly isReady: () => boolean;
  /** The error that Redis sent; undefined for one of the connection. */
  readonly saidIn: (error: unknown) => string | undefined;
  readonly isUnsent: (error: unknown) => boolean;
  readonly send: (command: readonly (string | Buffer)[]) => Promise<unknown>;
  readonly close: () => void;
}

/**
 * A connection to Redis that is opened for the first command, and again for the first one after it broke: never by itself,
 * so that a server that is down is not knocked at for ever. Nothing is sent twice.
 */
export class RedisConnection implements AsyncDisposable {
  readonly #address: EngineAddress;
  readonly #credentials: EngineCredentials | undefined;
  readonly #ports: EnginePorts;
  #client: Promise<OpenClient> | undefined;

  constructor(address: EngineAddress, credentials: EngineCredentials | undefined, ports: EnginePorts) {
    this.#address = address;
    this.#credentials = credentials;
    this.#ports = ports;
  }

  /**
   * @param asked Ours, such as `to write`.
   * @param isResponse Can this be the response to such a command? If not, the connection is closed, as nothing on it can be trusted.
   * @throws Failure `store_unavailable`, `store_denied`: nothing was done
   * @throws NoResponse
   */
  async send<Reply extends RedisReply>(
    command: readonly (string | Buffer)[],
    asked: string,
    isResponse: (reply: RedisReply) => reply is Reply,
    signal: AbortSignal,
  ): Promise<Reply> {
    signal.throwIfAborted();
    const client = await unlessAborted(this.#ready(), signal);
    const responding = within(this.#ports.clock, client.limitMs, settled(client.send(command)));
    const came = await unlessAborted(responding, signal);
    if (came === undefined) {
      client.close(); // what comes later is of no use, and would be taken for the next response
      throw new NoResponse(engineTooSlow(this.#address.label, client.limitMs, 'command'), false);
    }
    if ('value' in came) {
      const reply = came.value as RedisReply;
      if (isResponse(reply)) return reply;
      client.close();
      throw new NoResponse(engineNotUnderstood(this.#address.label), false);
    }
    const said = client.saidIn(came.error);
    if (said !== undefined) throw refusal(this.#address.label, said, asked);
    if (client.isFlooded()) throw new NoResponse(engineFloods(this.#address.label, maxBytes), false);
    const failure = await this.#unreachable(came.error);
    throw client.isUnsent(came.error) ? failure : new NoResponse(failure, true);
  }

  async #ready(): Promise<OpenClient> {
    const before = this.#client;
    if (before !== undefined) {
      const client = await before;
      if (client.isReady()) return client;
      if (this.#client === before) this.#client = undefined;
    }
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return await this.#client;
  }

  /** @throws Failure `store_unavailable`, `store_denied`, `network_setting_unusable` */
  async #open(): Promise<OpenClient> {
    const { clock, limits } = this.#ports;
    const { label, way } = this.#address;
    const { connectSeconds, storeSeconds } = await limits();
    const limitMs = connectSeconds * 1000;
    const { client, connected } = await this.#start(limitMs, storeSeconds * 1000);
    const came = await within(clock, limitMs, settled(connected));
    if (came !== undefined && 'value' in came) return client;
    client.close();
    if (came === undefined) throw engineTooSlow(label, limitMs, 'isTls' in way && way.isTls ? 'tls' : 'connecting');
    const said = client.saidIn(came.error);
    if (client.isFlooded()) throw engineFloods(label, maxBytes);
    throw said === undefined ? await this.#unreachable(came.error) : refusal(label, said, '');
  }

  async #start(
    connectMs: number,
    limitMs: number,
  ): Promise<{ readonly client: OpenClient; readonly connected: Promise<unknown> }> {
    const { default: redis } = await import('@redis/client'); // CommonJS: in a bundle all of it is the default
    const { createClient, RESP_TYPES, ErrorReply, ClientClosedError, ClientOfflineError } = redis;
    const { name, password } = this.#credentials ?? {};
    const client = createClient({
      RESP: 2, // older servers, and those that only look like it, know no other
      socket: { ...(await this.#socketOptions()), connectTimeout: connectMs, reconnectStrategy: false },
      ...(password === undefined ? {} : { username: name ?? '', password: password.reveal() }),
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
    });
    client.on('error', () => undefined); // each command reports it
    // The library bounds no response, and shows its socket in no other way.
    const socket = client._ejectSocket();
    client._insertSocket(socket);
    let bytes = 0;
    socket.on('data', ({ length }: Uint8Array) => {
      bytes += length;
      if (bytes > maxBytes && socket.isOpen) client.destroy();
    });
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
    const responded = () => {
      if (bytes <= maxBytes) bytes = 0;
    };
    return {
      connected: client.connect(),
      client: {
        limitMs,
        isFlooded: () => bytes > maxBytes,
        isReady: () => client.isReady,
        saidIn: (error) => (error instanceof ErrorReply ? error.message : undefined),
        isUnsent: (error) => error instanceof ClientClosedError || error instanceof ClientOfflineError,
        send: (command) => client.sendCommand([...command], { typeMapping }).finally(responded),
        close: () => client.destroy(),
      },
    };
  }

  async #socketOptions() {
    const { way } = this.#address;
    if ('path' in way) return { path: way.path, tls: false } as const;
    const host = way.host.replace(/^\[|\]$/g, '');
    if (!way.isTls) return { host, port: way.port, tls: false } as const;
    const secureContext = await this.#ports.secureContext(`https://${way.host}:${way.port}`);
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    // NODE_TLS_REJECT_UNAUTHORIZED must not send the password to an unverified server.
    return { host, port: way.port, tls: true, secureContext, rejectUnauthorized: true, ...servername } as const;
  }

  async #unreachable(error: unknown): Promise<Failure> {
    const { way, label } = this.#address;
    if ('path' in way)
      return engineUnusable(label, socketTrouble(error), 'Check that it runs, and who may use its socket.');
    const coded = codes[error instanceof Error ? error.constructor.name : ''];
    const cause = coded === undefined ? error : Object.assign(new Error(coded), { code: coded });
    return engineUnreachable(label, await this.#ports.networkFailure(cause, { host: way.host, port: way.port }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    client?.close();
  }
}

/** Errors of the library, by the code that the system has for the same. */
const codes: Readonly<Record<string, string>> = {
  ConnectionTimeoutError: 'ETIMEDOUT',
  SocketClosedUnexpectedlyError: 'ECONNRESET',
  ClientClosedError: 'ECONNRESET',
  ClientOfflineError: 'ECONNRESET',
  DisconnectsClientError: 'ECONNRESET',
};

function socketTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'ECONNRESET';
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such socket',
    ECONNREFUSED: 'nothing listens at this socket',
    EACCES: 'this user may not open its socket',
    ECONNRESET: 'it broke off the connection',
  };
  return `${known[code] ?? 'connecting to its socket failed'} (${code})`;
}

function settled<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

const deniedBy: Readonly<Record<string, Denial>> = { WRONGPASS: 'wrong', NOAUTH: 'needed', NOPERM: 'rights' };

const later = 'Try again in a minute; if it stays so, look at its log.';

const refusedBy: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  LOADING: ['it is reading its data after a start', later],
  BUSY: ['a script keeps it busy', later],
  READONLY: ['it is a replica, which takes no writes', 'Give the address of the primary.'],
  MASTERDOWN: ['it is a replica that has lost its primary', later],
  OOM: ['its memory is full', 'Raise its maxmemory; nothing was written.'],
  MISCONF: ['it cannot save its data to disk, and takes no writes', 'Look at its log, and at the room on its disk.'],
  NOREPLICAS: ['too few of its replicas are in reach, so it takes no writes', later],
  MOVED: ['it is a cluster, which is not followed', 'Use an engine of a single primary.'],
  CLUSTERDOWN: ['its cluster is down', later],
};

/** Of what Redis says only its first word is shown: an error can quote the command, and so a password. */
function refusal(label: string, said: string, asked: string): Failure {
  const known = Object.keys({ ...deniedBy, ...refusedBy }).find((word) => new RegExp(`\\b${word}\\b`).test(said));
  const word = known ?? /^[A-Z]+/.exec(said)?.[0] ?? 'no reason';
  const denial = deniedBy[word];
  if (denial !== undefined) return engineDenies(label, denial, denial === 'rights' ? asked : '');
  if (/without any password configured/.test(said)) return engineDenies(label, 'not_asked');
  const [why, remedy] = refusedBy[word] ?? [`it refused ${asked === '' ? 'the login' : asked} (${word})`, undefined];
  return engineUnusable(label, why, remedy, word);
}
