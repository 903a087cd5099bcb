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
  readonly logInForRun: LogInForRun;
  /** Every finding in words: the page of `postern help findings`. */
  readonly findingsPage: () => Promise<string>;
  readonly askServer: AskServer;
}

/** What is done beyond looking; nothing of it where it is not asked for. */
export interface Examination {
  /** A login is made for it. */
  readonly login: WantedLogin | undefined;
  /** For all of it together, but for what a person does, in milliseconds. */
  readonly limitMs: number;
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

/** What the steps so far have brought. */
export interface Known {
  probed?: ProbedServer;
  resource?: ProtectedResource;
  issuer?: string;
  authorizationServer?: AuthorizationServer;
}

export interface ExaminePorts extends Omit<ExamineWorld, 'http'> {
  readonly http: SeenHttp;
  /** The same without remembering anything: what it sends and brings may be secret. */
  readonly direct: HttpClient;
  readonly journal: Journal;
  /** Of the whole run; stands still while a person acts. */
  readonly deadline: Pick<Deadline, 'stop' | 'restart'>;
  /** Aborted when the program is to end. */
  readonly interrupted: AbortSignal;
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

/** Makes a login that this run alone has; `app` joins it to `login/`. @throws Failure of the login */
export type LogInForRun = (
  wanted: WantedLogin & {
    readonly server: string;
    readonly issuer: string;
    readonly held: LoginRecord | undefined;
    readonly headers: readonly SecretHeader[];
    readonly http: HttpClient;
    readonly journal: Journal;
    readonly signal: AbortSignal;
  },
) => Promise<MadeLogin>;

export interface MadeLogin {
  readonly login: LoginRecord;
  readonly credential: StoredCredential;
}

/** A login of this run, and all that its checks look at. */
export interface LoginUnderTest extends MadeLogin, ServerTarget {
  readonly authorizationServer: AuthorizationServer;
  readonly probed: ProbedServer;
  /** The scopes that it asked for. */
  readonly asked: readonly string[];
  readonly http: RunHttp;
}

/** What was found out without a login. */
export interface Discovered {
  readonly probed: ProbedServer;
  readonly resource: ProtectedResource;
  readonly authorizationServer: AuthorizationServer;
}
