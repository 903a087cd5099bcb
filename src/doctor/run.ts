import { type Failure, isFailure } from '../core/failure.js';
import type { Clock, CorePorts, Journal } from '../core/ports.js';
import type { LoginRecord, StoreKind } from '../core/records.js';
import type { SecretHeader } from '../core/secret.js';
import type { Deadline } from '../core/time.js';
import type { HttpClient, HttpPorts } from '../http/request.js';
import type { AskServer } from '../mcp/server-session.js';
import type { ProbedServer } from '../oauth/probe.js';
import type { ProtectedResource } from '../oauth/resource-metadata.js';
import type { AuthorizationServer } from '../oauth/server-metadata.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import type { ExamineAddresses } from './address-examiner.js';
import type { Report } from './report.js';
import type { RunHttp } from './run-http.js';
import type { SeenHttp } from './seen-http.js';

export interface ExamineWorld
  extends HttpPorts,
    Pick<CorePorts, 'progress' | 'limits' | 'terminal' | 'givenHeaders'>,
    Pick<StorePorts, 'assertions' | 'attempts' | 'index' | 'locks' | 'recovery' | 'store' | 'stores'> {
  readonly clock: Clock;
  /** Address of our client ID metadata document. */
  readonly clientMetadataUrl: string | undefined;
  readonly examineAddresses: ExamineAddresses;
  /** @throws Failure `configuration_unusable` */
  readonly configuration: () => Promise<{
    readonly caFile?: string | undefined;
    readonly store?: StoreKind | undefined;
    readonly clients?: readonly { readonly issuer: string; readonly clientId: string }[];
    readonly clientMetadataUrl?: string | undefined;
  }>;
  /** Makes a login that this run alone has; `app` joins it to `login/`. @throws Failure of the login */
  readonly logInForRun: (
    wanted: WantedLogin &
      Pick<Run, 'server' | 'held' | 'headers' | 'journal' | 'signal'> & {
        readonly issuer: string;
        readonly http: HttpClient;
      },
  ) => Promise<MadeLogin>;
  /** Every finding in words: the page of `postern help findings`. */
  readonly findingsPage: () => Promise<string>;
  readonly askServer: AskServer;
}

export interface ServerTarget {
  /** Its canonical URL. */
  readonly server: string;
  /** The login that there is for it. */
  readonly held: LoginRecord | undefined;
  /** It was named, so that its token may be used. */
  readonly isNamed?: boolean;
  /** What it gets with each request. */
  readonly headers: readonly SecretHeader[];
  readonly signal: AbortSignal;
}

/** How the login of this run is made. */
export interface WantedLogin {
  readonly browser: boolean;
  readonly noBrowser: boolean;
  readonly device: boolean;
  readonly scope: readonly string[];
  /** How long a person is waited for; undefined: as for every login. */
  readonly timeoutMs: number | undefined;
}

/** One examination of a server: the world, what is examined, and what the steps so far have brought. */
export interface Run extends Omit<ExamineWorld, 'http'>, ServerTarget {
  readonly http: SeenHttp;
  /** The same without remembering anything: what it sends and brings may be secret. */
  readonly direct: HttpClient;
  readonly report: Report;
  readonly journal: Journal;
  /** Undefined: none is made. */
  readonly wanted: WantedLogin | undefined;
  /** Of the whole run; stands still while a person acts. */
  readonly deadline: Pick<Deadline, 'stop' | 'restart'>;
  /** Aborted when the program is to end. */
  readonly interrupted: AbortSignal;
  probed?: ProbedServer;
  resource?: ProtectedResource;
  issuer?: string;
  authorizationServer?: AuthorizationServer;
}

/** A run that has found out all that it can without a login. */
export interface DiscoveredRun extends Run {
  readonly probed: ProbedServer;
  readonly resource: ProtectedResource;
  readonly authorizationServer: AuthorizationServer;
}

export interface MadeLogin {
  readonly login: LoginRecord;
  readonly credential: StoredCredential;
}

/** A run with a login of its own, and all that its checks look at. */
export interface LoginRun extends DiscoveredRun, MadeLogin {
  /** The scopes that it asked for. */
  readonly asked: readonly string[];
  /** Notes what is to be taken back at the end. */
  readonly noting: RunHttp;
}

/** A part of a run whose failure is reported, and ends nothing else. What ends the run is thrown on. */
export async function attempt<Result>(
  { signal }: Pick<Run, 'signal'>,
  work: () => Promise<Result>,
  failed: (failure: Failure) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    return await failed(error);
  }
}
