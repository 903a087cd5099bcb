/** How near a server is, by its resolved addresses: public < private < loopback. It may name no server nearer than itself. */
export type Zone = 'public' | 'private' | 'loopback';

/** The kinds of store for secrets. */
export type StoreKind = 'keychain' | 'file' | 'memory' | 'environment' | `helper:${string}` | SharedKind;

/** A store that several machines share, by the address of its engine. */
export type SharedKind = `redis:${string}`;

/** How this client identified itself to an authorization server. */
export type RegistrationWay = 'preregistered' | 'metadata' | 'dynamic' | 'ask';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A token is a person's, or the client's own (RFC 6749 sections 4.1 and 4.4), or a company's provider vouches for a person (RFC 7523). */
export type Grant = 'authorization_code' | 'client_credentials' | 'id_jag';

/**
 * What is known of one login and is no secret. Its secrets are in the store's item `key`, and so are the endpoints that
 * secrets are sent to: another program could change this file.
 */
export interface LoginRecord {
  /** Store key: hash over (server, resource, issuer, client identifier, account); older ones are without the server. */
  readonly key: string;
  /** Short name given with `--name`. */
  readonly name?: string;
  /** The server's canonical URL as the person named it; tokens attach at or below it only. */
  readonly server: string;
  /** `resource` exactly as the protected resource metadata spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly account: string;
  /** Who logged in, as the authorization server said: shown, never trusted. */
  readonly identity?: string;
  /** The same, claim by claim. */
  readonly person?: PersonClaims;
  /** The person has chosen it among the accounts of its server: it is taken where none is named. */
  readonly preferred?: boolean;
  readonly scopes: readonly string[];
  /** Those named with `--scope`, and what was asked for on top; absent: the server chose them. */
  readonly askedScopes?: readonly string[];
  /** Milliseconds since 1970; null when the authorization server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly refreshable: boolean;
  /** When its refresh token ends unless it is used, and when the whole does; absent: nobody said. Milliseconds since 1970. */
  readonly refreshExpiresAt?: number;
  readonly authorizationExpiresAt?: number;
  readonly store: StoreKind;
  /** Another store that may hold its secrets, too: that of an unfinished move. */
  readonly leftIn?: StoreKind;
  readonly zone: Zone;
  readonly registration: RegistrationWay;
  /** Set for the client's own login, which asks for another token instead of refreshing. Absent: a person's. */
  readonly grant?: 'client_credentials';
  /** Where the platform's token is that this login is made by; its source in full is in the store's item. */
  readonly assertion?: AssertionRecord;
  /** Are its tokens bound to a key (RFC 9449)? `demanded`, `never`: by `--dpop` and `--no-dpop`, for its next login, too. Absent: no. */
  readonly dpop?: 'bound' | 'demanded' | 'never';
  /** Its server takes tokens in this scheme alone: `dpop`, as it said at the login; `bearer`, as a bound token has shown. */
  readonly schemeTaken?: 'bearer' | 'dpop';
  /** The company's provider that vouches for this login; its client there is another one than that of this login. */
  readonly provider?: ProviderReference;
  /** Set when the refresh token was refused for good: a new login is needed. */
  readonly dead?: boolean;
  /** The error's code and words at that time, cleaned and cut; never trusted. */
  readonly refusal?: string;
  /** Set when its secret is gone from its store: a new login is needed. */
  readonly gone?: boolean;
  /** `obtainedAt` of an access token that was refused although it seemed valid: that very one is refreshed before use. */
  readonly refusedToken?: number;
  /** Made at a server that publishes no metadata, by a person's choice: its next login is made so, too. */
  readonly legacy?: boolean;
  /** `--resource`, or null for `--no-resource`: its tokens are asked for with this instead of `resource`. Kept for its next login. */
  readonly requestedResource?: string | null;
  /** `--authorization-param`, each as it was typed. Its next login asks so, too. */
  readonly authorizationParams?: readonly string[];
  /** `--client-name`: what this program is called where it registers itself for this login. */
  readonly clientName?: string;
  /** Names of the headers that the server gets beside the token; their values are in the store's item. */
  readonly headerNames?: readonly string[];
  /** Warnings shown at login and repeated by `status`. */
  readonly warnings?: readonly string[];
  /** Grows with each login of this key, so that an older writer notices. */
  readonly generation: number;
  /** The browser that its login pages open in; absent: the usual one. */
  readonly browser?: BrowserChoice;
}

/** Which login at a company's provider is meant: beside the account, which is that of the server's login. */
export interface ProviderReference {
  readonly issuer: string;
  readonly clientId: string;
  /** The ID token comes from this file, and there is no login of ours at the provider. */
  readonly tokenFile?: string;
}

/** A login at a company's provider (OpenID Connect): `server` is its issuer; its ID token goes to that provider alone. */
export type ProviderRecord = LoginRecord;

/** By what a machine's own login is made. Shown; and a variable is kept from programs that are started. */
export interface AssertionRecord {
  readonly from: 'file' | 'variable' | 'command';
  /** The path, the variable's name, or the path of the program. */
  readonly name: string;
  readonly use: 'client' | 'grant';
}

/** Claims of the ID token of a login (OpenID Connect Core 1.0, section 5.1), printable and cut: shown, never trusted. */
export interface PersonClaims {
  readonly sub: string;
  /** `preferred_username`, else `name`. */
  readonly name?: string;
  readonly email?: string;
}

/** A browser that a person chose: a name that we know, or an absolute path; perhaps one of its profiles. */
export interface BrowserChoice {
  readonly program: string;
  readonly profile?: string;
}

/** A client registration kept for one issuer; its secret, if any, is the store's item `key`. */
export interface RegistrationRecord {
  readonly key: string;
  readonly issuer: string;
  readonly clientId: string;
  /** `metadata`: that a document was taken there, and with which redirect URI; nothing was registered. */
  readonly way: RegistrationWay;
  readonly authMethod: ClientAuthMethod;
  readonly hasSecret: boolean;
  /** Where its secret is; absent: the keychain. */
  readonly store?: StoreKind;
  /** Another store that may hold it, too: that of an unfinished move. */
  readonly leftIn?: StoreKind;
  /** The redirect URI registered (its port may vary on loopback, RFC 8252 section 7.3). */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Whether it was registered for device logins (RFC 8628), too; absent: not asked for, or a person made it. */
  readonly device?: boolean;
  /** What this program is called there, by choice of the person (`--client-name`). */
  readonly clientName?: string;
  /** The last login with it got no response: the authorization server may have forgotten it. */
  readonly doubted?: boolean;
  /** Milliseconds since 1970; null: never. */
  readonly secretExpiresAt: number | null;
}

/** A private key made here for one client's `private_key_jwt`; the key itself is the store's item `key`. */
export interface ClientKeyRecord {
  readonly key: string;
  /** Where it is registered; absent: its public half stands in a client ID metadata document, for any issuer. */
  readonly issuer?: string;
  readonly clientId: string;
  /** Its thumbprint, `kid` in the public half. */
  readonly keyId: string;
  readonly algorithm: 'ES256' | 'RS256';
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly store: StoreKind;
  /** Another store that may hold it, too: that of an unfinished move. */
  readonly leftIn?: StoreKind;
}

/** An item that a store may hold and no record tells of: what was being written or removed when something ended it. */
export interface StoredItem {
  readonly key: string;
  readonly store: StoreKind;
}

export interface IndexDocument {
  readonly version: 1;
  readonly logins: readonly LoginRecord[];
  readonly registrations: readonly RegistrationRecord[];
  /** The oldest first; not given: none. */
  readonly clientKeys?: readonly ClientKeyRecord[];
  /** Logins at companies' providers; not given: none. */
  readonly providers?: readonly ProviderRecord[];
  /** Not given: none. */
  readonly orphans?: readonly StoredItem[];
  /** Logins that were forgotten, with the key of the item that their token is revoked by; not given: none. */
  readonly pendingRevocations?: readonly LoginRecord[];
  /** Names that a login had, the latest last; not given: none. */
  readonly pastNames?: readonly PastName[];
  /** Which era of the protocol servers speak, those asked last at the end; not given: none. */
  readonly eras?: readonly ServerEra[];
  /** `WWW-Authenticate` of servers, where nothing else names their metadata; those seen last at the end. */
  readonly challenges?: readonly { readonly server: string; readonly lines: readonly string[] }[];
  /** At most one for an issuer, the latest last; not given: none. */
  readonly redirectUris?: readonly IssuerRedirectUri[];
}

/** The redirect URI that a person chose for an authorization server. */
export interface IssuerRedirectUri {
  readonly issuer: string;
  /** Without a port: any that is free. */
  readonly redirectUri: string;
}

/** What a server was found to speak. */
export interface ServerEra {
  /** As `LoginRecord.server`. */
  readonly server: string;
  readonly era: 'newer' | 'older';
  /** Milliseconds since 1970. */
  readonly checkedAt: number;
}

/** A name that a login had which was ended, or called otherwise. */
export interface PastName {
  readonly name: string;
  /** Hash over the server. */
  readonly of: string;
}

/** A credential that another program asked for in vain. Holds no secret. */
export interface FormatFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As `postern credential` names it. */
  readonly format: string;
  /** Scheme, host and port of the server; '' where no known one was named. */
  readonly origin: string;
  /** The failure's code. */
  readonly code: string;
}

/** The account of a login that was made without `--account`. */
export const defaultAccount = 'default';

/** The part after the colon ends the name of a program: no path, no option. */
const helperPattern = /^helper:[a-z0-9][a-z0-9._-]{0,62}$/;

/** The address of an engine, with a namespace perhaps; never with a name or a password. What is wrong with one is said when it is opened. */
const sharedPattern =
  /^redis:(?:rediss?:\/\/[^\s@/?#]{1,260}(?:\/[a-z0-9][a-z0-9._-]{0,62})?|unix:\/[\x21-\x3f\x41-\x7e]{1,106})$/;

export function isSharedKind(text: string): text is SharedKind {
  return sharedPattern.test(text);
}

export function isStoreKind(text: string): text is StoreKind {
  return text === 'keychain' || text === 'file' || text === 'memory' || helperPattern.test(text) || isSharedKind(text);
}

/** Whether a person can choose this store for a login; memory ends with the process. */
export function isStoreChoice(text: string): text is StoreKind {
  return isStoreKind(text) && text !== 'memory';
}

export const storeChoices = 'keychain, file, helper:NAME or redis:URL';

/** Why this store cannot be chosen, as the end of a sentence. Quotes nothing: an address may hold a password. */
export function whyNoStore(text: string): string {
  if (text === 'memory') {
    return `a login in memory would be gone when this command ends. For one command alone: postern call, request or bridge with --store memory. A login that stays takes ${storeChoices}`;
  }
  if (!text.startsWith('redis:')) return `it is none of ${storeChoices}`;
  if (text.includes('@')) {
    return 'an address with a name or password can be read by everybody here; write NAME:PASSWORD into a file of mode 600, and name that in POSTERN_ENGINE_CREDENTIALS_FILE';
  }
  return 'after redis: comes rediss://HOST:PORT, redis://127.0.0.1:PORT or unix:/PATH, the first two with /NAMESPACE after it where you want one';
}

/** A store in words for a person. */
export function storeInWords(kind: StoreKind): string {
  switch (kind) {
    case 'keychain':
      return 'the keychain';
    case 'file':
      return 'a sealed file (--store file)';
    case 'environment':
      return 'the environment (POSTERN_TOKEN)';
    case 'memory':
      return 'memory, for this process only';
    default:
      return isSharedKind(kind)
        ? `Redis, shared by several machines (--store ${kind})`
        : `docker-credential-${kind.slice('helper:'.length)} (--store ${kind})`;
  }
}

/** The members that are not undefined: for optional ones, which are absent or have a value. */
export function defined<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ReturnType<typeof defined<Members>>;
}
