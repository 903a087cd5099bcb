/** How the authorization server treats client ID metadata documents (MCP authorization 4.4, 5.8). */
export interface ClientDocumentRules {
  /** `host:port` of places that documents may be fetched from although they are on this computer or in a
   * private network. Never opened: link-local and reserved addresses. */
  readonly allow?: readonly string[];
  /** File of certificates (PEM) to trust when a document is fetched, beside the usual ones. */
  readonly caFile?: string;
  /** The only domains whose clients may log in: `example.com` is that host alone, `*.example.com` every host
   * below it; a port that is not 443 is named. Absent: every domain. */
  readonly trust?: readonly string[];
}

const name = '(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';

const address = new RegExp(`^(?:${name}|\\[[0-9a-f:.]+\\]):[0-9]{1,5}$`);

const domain = new RegExp(`^(?:(?:\\*\\.)?${name}|\\[[0-9a-f:.]+\\])(?::[0-9]{1,5})?$`);

/** @throws RangeError for a rule that could never match */
export function checkDocumentRules({ allow = [], trust = [] }: ClientDocumentRules): void {
  for (const one of allow) {
    if (!address.test(one) || !URL.canParse(`https://${one}/`)) {
      throw new RangeError('client documents are allowed from HOST:PORT, in lower case, such as 127.0.0.1:8443');
    }
  }
  for (const one of trust) {
    if (!domain.test(one)) {
      throw new RangeError('trusted clients are of a HOST, HOST:PORT or *.HOST, in lower case, such as example.com');
    }
  }
}
