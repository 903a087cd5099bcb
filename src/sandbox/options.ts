/** A client known to the sandbox before it starts (RFC 6749 section 2). */
export interface SandboxClient {
  readonly client_id: string;
  /** Present: a confidential client, which may also use the client credentials grant. */
  readonly client_secret?: string;
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  /** Default: `client_secret_basic` with a secret, `private_key_jwt` with keys, else `none`. */
  readonly token_endpoint_auth_method?: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /** Public keys for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** The subject that the sandbox's own platform (`<issuer>/workload/token`) signs tokens for, which stand in for a secret. */
  readonly workload?: string;
  /**
   * Its identifier at the sandbox's own company's provider (`<issuer>/company`), which vouches for people to it here: the only way
   * to its tokens.
   */
  readonly company?: string;
  /** Of that client at the provider; absent: it has none. */
  readonly company_secret?: string;
  /** Default: authorization code and refresh token, and client credentials for a confidential client. */
  readonly grant_types?: readonly string[];
  /** The scopes it may ask for; absent: all. */
  readonly scope?: string;
}

/** Everything that can be chosen about a sandbox; each member has a default. */
export interface SandboxOptions {
  /** TCP port of the protected server; 0 or absent: any free one. */
  readonly port?: number;
  /** TCP port of the authorization server; 0 or absent: any free one. */
  readonly authorizationPort?: number;
  /** Lifetime of access tokens in seconds, at least 1. Default 300. */
  readonly accessTokenSeconds?: number;
  /** Lifetime of the company's provider's ID tokens in seconds. Default 3600. */
  readonly idTokenSeconds?: number;
  /** The issuer of another sandbox's company's provider, which this one trusts instead of its own. Default: its own. */
  readonly companyIssuer?: string;
  /** Path of the issuer: empty, or e.g. `/tenant1`. */
  readonly issuerPath?: string;
  /** Which metadata addresses are served (RFC 8414, OpenID Connect Discovery 1.0); `openid-appended` is
   * the OpenID one after the issuer's path only. Default `both`. */
  readonly metadata?: 'both' | 'oauth' | 'openid' | 'openid-appended' | 'none';
  /**
   * How the protected resource metadata can be found (RFC 9728). With `none` there is none, and both servers are at one
   * origin, as in 2025-03-26. Default `both`.
   */
  readonly discovery?: 'both' | 'header' | 'well-known' | 'none';
  /** Which form of the protected resource's well-known address is served. Default `path`. */
  readonly wellKnown?: 'path' | 'root' | 'both';
  /** The eras of the protocol that the server speaks: up to 2025-11-25, from 2026-07-28 on. Default `both`. */
  readonly eras?: 'both' | 'newer' | 'older';
  /** Dynamic client registration (RFC 7591). Default true. */
  readonly registration?: boolean;
  /** Pushed authorization requests (RFC 9126): taken, or the only ones that are. Default `offered`. */
  readonly pushedRequests?: 'offered' | 'required';
  /** Tokens that are bound to a key (RFC 9449): none, for whoever asks, or nothing else. Default `off`. */
  readonly dpop?: 'off' | 'offered' | 'required';
  /** Both servers want a nonce of theirs in each proof. Default false. */
  readonly dpopNonce?: boolean;
  /** Client ID metadata documents: false for none, or how they are fetched. Default: from public addresses. */
  readonly metadataDocuments?: false | ClientDocumentRules;
  readonly clients?: readonly SandboxClient[];
  /** `any`: the port of a loopback redirect URI may differ (RFC 8252 section 7.3). Default `any`. */
  readonly loopbackPorts?: 'any' | 'exact';
  /** Other resources that tokens may be issued for, to show that the protected server refuses them. */
  readonly otherResources?: readonly string[];
  /** Each login is allowed at once, for the first account, and nobody is asked. Default false. */
  readonly approve?: boolean;
  /** Names of faults, see `listFaults`. */
  readonly faults?: readonly string[];
}

/** The options with every default filled in. */
export type SandboxSettings = Required<SandboxOptions>;

/** @throws RangeError for a value that no sandbox can be started with */
export function settingsFrom(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = {
    port: 0,
    authorizationPort: 0,
    accessTokenSeconds: 300,
    idTokenSeconds: 3600,
    companyIssuer: '',
    issuerPath: '',
    metadata: 'both',
    discovery: 'both',
    wellKnown: 'path',
    eras: 'both',
    registration: true,
    pushedRequests: 'offered',
    dpop: 'off',
    dpopNonce: false,
    metadataDocuments: {},
    clients: [],
    loopbackPorts: 'any',
    otherResources: [],
    approve: false,
    faults: [],
    ...options,
  };
  if (!Number.isSafeInteger(settings.accessTokenSeconds) || settings.accessTokenSeconds < 1) {
    throw new RangeError('accessTokenSeconds must be a whole number of seconds, at least 1');
  }
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(settings.issuerPath)) {
    throw new RangeError('issuerPath must be empty or a path such as /tenant1');
  }
  if (settings.companyIssuer !== '' && !/^http:\/\/127\.0\.0\.1:\d{1,5}(\/[\w.~-]+)*$/.test(settings.companyIssuer)) {
    throw new RangeError('--company takes the provider of another sandbox, such as http://127.0.0.1:5801/company');
  }
  if (settings.metadataDocuments !== false) checkDocumentRules(settings.metadataDocuments);
  return settings;
}

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
function checkDocumentRules({ allow = [], trust = [] }: ClientDocumentRules): void {
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
