import type { CommandOutput } from '../core/command.js';
import type { Configuration } from '../core/configuration/configuration.js';
import type { CorePorts, Files } from '../core/ports.js';
import type { HttpPorts } from '../http/request.js';
import type { StorePorts } from '../stores/ports.js';

/** What the actions of `client-metadata` need of the world, each a part of it. */
export interface ClientMetadataWorld
  extends CommandOutput,
    StorePorts,
    Pick<HttpPorts, 'http'>,
    Pick<CorePorts, 'journal' | 'progress' | 'terminal' | 'clock' | 'limits'> {
  readonly files: Files;
  readonly configuration: () => Promise<Configuration>;
  /** Address of the client ID metadata document of this release, where nothing else is configured. */
  readonly clientMetadataUrl: string | undefined;
  readonly serveDocument: ServeDocument;
}

/** One file that is served at one path, with these headers. */
export interface SiteFile {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A server on 127.0.0.1, until it is disposed of. */
export interface DocumentServer extends AsyncDisposable {
  readonly port: number;
  /** The self-signed certificate, for others to trust; undefined with the person's own. */
  readonly certificateFile: string | undefined;
}

/**
 * Serves a client ID metadata document over https on 127.0.0.1, to try it out.
 * @throws Failure `port_in_use`, `port_refused`, `tls_files_unusable`, `file_unreadable`, `state_unwritable`
 */
export type ServeDocument = (options: {
  /** 0: any free one. */
  readonly port: number;
  readonly tls: 'self-signed' | { readonly certFile: string; readonly keyFile: string };
  /** By path, e.g. `/client.json`. */
  readonly site: ReadonlyMap<string, SiteFile>;
}) => Promise<DocumentServer>;
