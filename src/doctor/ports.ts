import type { Clock, CorePorts, Journal } from '../core/ports.js';
import type { LoginRecord, StoreKind } from '../core/records.js';
import type { HttpPorts } from '../http/request.js';
import type { ProbedServer } from '../oauth/probe.js';
import type { ProtectedResource } from '../oauth/resource-metadata.js';
import type { AuthorizationServer } from '../oauth/server-metadata.js';
import type { StorePorts } from '../stores/ports.js';
import type { ExamineAddresses } from './address-examiner.js';
import type { SeenHttp } from './seen-http.js';

export interface ExamineWorld
  extends HttpPorts,
    Pick<CorePorts, 'progress' | 'limits'>,
    Pick<StorePorts, 'index' | 'store' | 'stores'> {
  readonly clock: Clock;
  /** Address of our client ID metadata document. */
  readonly clientMetadataUrl: string | undefined;
  readonly examineAddresses: ExamineAddresses;
  /** @throws Failure `configuration_unusable` */
  readonly configuration: () => Promise<{
    readonly caFile?: string | undefined;
    readonly store?: StoreKind | undefined;
  }>;
}

export interface ServerTarget {
  /** Its canonical URL. */
  readonly server: string;
  /** The login that there is for it. */
  readonly held: LoginRecord | undefined;
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
  readonly journal: Journal;
}
