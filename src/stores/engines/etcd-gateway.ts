import { type Failure, isFailure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { type JsonObject, parseObject, stringField } from '../../core/text/json.js';
import type { EngineAddress } from './address.js';
import type { EngineCredentials } from './credentials.js';
import { engineDenies, engineUnreachable, engineUnusable } from './failures.js';
import type { EnginePorts } from './ports.js';

/** A request left, and may have been done: no response came that says so. */
export class NoEtcdResponse extends Error {
  readonly failure: Failure;
  /** The connection broke, and the time was not over. */
  readonly isBroken: boolean;

  constructor(failure: Failure, isBroken = false) {
    super(failure.message, { cause: failure });
    this.name = 'NoEtcdResponse';
    this.failure = failure;
    this.isBroken = isBroken;
  }
}

/** Of a list of 10,000 names. */
const maxBytes = 8 * 1024 * 1024;
const jsonLimits = { maxKeys: 200_000 };

/** Codes of connections that were never made. */
const unsent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
]);

type Refusal = 'expired' | 'denied' | 'wrong' | 'needed' | 'not_asked' | 'unknown' | 'refused';

/** By etcd's own words: its codes (google.rpc.Code) are the same for several of these. */
const refusals: readonly (readonly [RegExp, Refusal])[] = [
  [/invalid auth token|revision of auth store is old|\bauth revision\b/, 'expired'],
  [/permission denied/, 'denied'],
  [/invalid user ID or password/, 'wrong'],
  [/user name is empty|user name not found/, 'needed'],
  [/authentication is not enabled/, 'not_asked'],
  [/request timed out|leader changed|no leader|server stopped|Unavailable/, 'unknown'],
];

/** Requests to etcd's JSON gateway, with the token of its authentication, got anew when it ends or etcd forgot it. */
export class EtcdGateway {
  readonly #label: string;
  readonly #origin: string;
  readonly #credentials: EngineCredentials | undefined;
  readonly #ports: EnginePorts;
  #token: Promise<Secret> | undefined;

  constructor(
    address: Extract<EngineAddress, { engine: 'etcd' }>,
    credentials: EngineCredentials | undefined,
    ports: EnginePorts,
  ) {
    const { host, port, isTls } = address.way;
    this.#label = address.label;
    this.#origin = `${isTls ? 'https' : 'http'}://${host}:${port}`;
    this.#credentials = credentials;
    this.#ports = ports;
  }

  /**
   * @param path Below `/v3/`. @param asked Ours, such as `to write`.
   * @throws Failure `store_unavailable`, `store_denied`: nothing was done
   * @throws NoEtcdResponse
   */
  async post(path: string, body: object, asked: string, signal: AbortSignal): Promise<JsonObject> {
    for (let isSecond = false; ; isSecond = true) {
      const token = await this.#tokenFor(signal);
      const response = await this.#send(path, body, token, signal);
      if (response.status === 200) return response.body;
      const refusal = refusalOf(response.body);
      if (refusal !== 'expired' || isSecond || this.#credentials === undefined) {
        throw this.#refused(response, refusal, asked);
      }
      this.#token = undefined;
    }
  }

  async #tokenFor(signal: AbortSignal): Promise<Secret | undefined> {
    if (this.#credentials === undefined) return undefined;
    this.#token ??= this.#logIn(this.#credentials, signal);
    try {
      return await this.#token;
    } catch (error) {
      this.#token = undefined;
      throw error instanceof NoEtcdResponse ? error.failure : error;
    }
  }

  async #logIn({ name, password }: EngineCredentials, signal: AbortSignal): Promise<Secret> {
    const body = { name, password: password.reveal() };
    const response = await this.#send('auth/authenticate', body, undefined, signal);
    const token = stringField(response.body, 'token');
    if (response.status !== 200 || token === undefined) {
      throw this.#refused(response, refusalOf(response.body), 'the login');
    }
    this.#ports.hold(token);
    return new Secret(token);
  }

  async #send(path: string, body: object, token: Secret | undefined, signal: AbortSignal) {
    const limitMs = (await this.#ports.limits()).storeSeconds * 1000;
    const request = { url: `${this.#origin}/v3/${path}`, body: JSON.stringify(body), token, limitMs, maxBytes };
    try {
      const response = await this.#ports.post(request, signal);
      const parsed = parseObject(response.body, jsonLimits);
      const isGateway = parsed !== undefined || response.status !== 200;
      if (!isGateway) throw new NoEtcdResponse(this.#strange());
      return { status: response.status, body: parsed ?? {} };
    } catch (error) {
      if (!isFailure(error) || signal.aborted) throw error;
      const failure = engineUnreachable(this.#label, error);
      throw isUnsent(error) ? failure : new NoEtcdResponse(failure, error.code === 'network_failed');
    }
  }

  #refused({ status }: { readonly status: number }, refusal: Refusal, asked: string): Error {
    const label = this.#label;
    if (refusal === 'denied') return engineDenies(label, 'rights', asked);
    if (refusal === 'wrong' || refusal === 'needed' || refusal === 'not_asked') return engineDenies(label, refusal);
    if (refusal === 'expired') return engineDenies(label, this.#credentials === undefined ? 'needed' : 'wrong');
    if (refusal === 'refused' && status < 500) return engineUnusable(label, `it refused ${asked} (HTTP ${status})`);
    return new NoEtcdResponse(
      engineUnusable(label, `its members do not agree in time (HTTP ${status})`, 'Look at: etcdctl endpoint health'),
    );
  }

  #strange(): Failure {
    return engineUnusable(this.#label, 'what responds there is no etcd 3.4 or later', 'Check host and port.');
  }
}

function refusalOf(body: JsonObject): Refusal {
  const said = `${stringField(body, 'error') ?? ''} ${stringField(body, 'message') ?? ''}`;
  return refusals.find(([pattern]) => pattern.test(said))?.[1] ?? 'refused';
}

function isUnsent(error: Failure): boolean {
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return error.code !== 'timed_out' && (error.code !== 'network_failed' || unsent.has(code));
}
