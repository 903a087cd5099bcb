import { type DocumentSettings, writeDocument } from '../../../src/oauth/client-metadata/write-document.js';
import { type DocumentHost, startDocumentHost } from '../../sandbox/document-host.js';
import type { FlowOptions } from '../flow-ports.js';
import type { SandboxOptions } from '../product.js';
import { openScene, type Scene } from './scene.js';

/** A person's machine, a host for documents, and as many authorization servers as a test opens. */
export interface DocumentScene extends AsyncDisposable {
  readonly host: DocumentHost;
  readonly url: string;
  /** What `host` serves from now on: the program's own document with these keys. */
  publish(keys: DocumentSettings['keys'], caching?: string): void;
  /** A sandbox that takes the document; each knows nothing of what another has fetched. */
  open(options?: SandboxOptions, flow?: Partial<FlowOptions>): Promise<Scene>;
}

export async function openDocumentScene(): Promise<DocumentScene> {
  const host = await startDocumentHost();
  const url = `${host.origin}/client.json`;
  return {
    host,
    url,
    publish: (keys, caching = 'max-age=600') =>
      host.serve(() => writeDocument({ url, name: 'postern, from a document', contact: undefined, keys }), {
        'cache-control': caching,
      }),
    open: (options = {}, flow = {}) => openScene({ ...options, metadataDocuments: host.rules }, flow),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
