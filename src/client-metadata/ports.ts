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
}
