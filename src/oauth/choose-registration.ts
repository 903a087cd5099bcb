import type { RegistrationWay } from '../core/records.js';
import type { AuthorizationServer } from './server-metadata.js';

/** What decides how this client identifies itself at an authorization server. */
export interface WayFacts {
  readonly forced: RegistrationWay | undefined;
  /** The client identifier registered by hand that is known for it. */
  readonly preregistered: string | undefined;
  /** The address of our client ID metadata document, and whether it says `private_key_jwt`. */
  readonly metadataUrl: string | undefined;
  readonly documentHasKey: boolean;
  /** A login by a code (RFC 8628), for which a client has to be allowed that grant. */
  readonly byDevice: boolean;
  readonly server: Pick<AuthorizationServer, 'takesMetadataDocuments' | 'registrationEndpoint' | 'tokenAuthMethods'>;
}

export interface PassedOver {
  readonly way: RegistrationWay;
  readonly why: string;
}

export type WayChoice =
  | {
      readonly open: true;
      readonly way: RegistrationWay;
      /** Why it is this one: the end of a sentence. */
      readonly why: string;
      readonly passedOver: readonly PassedOver[];
    }
  /** The way that was forced is not open. */
  | { readonly open: false; readonly why: string };

/** In the order of rule 4.6, each with the end of a sentence on why it is taken. */
const whyOpen: Readonly<Record<RegistrationWay, string>> = {
  preregistered: 'a client registered by hand is known for this authorization server',
  metadata: 'the authorization server takes client ID metadata documents',
  dynamic: 'the authorization server offers dynamic registration',
  ask: 'no other way is open',
};

/**
 * Chooses how to get a client identifier (rule 4.6): pre-registered, client ID metadata document, dynamic registration,
 * asking the person; the first that is open, or the one that is forced. Decides, and does nothing.
 */
export function chooseWay(facts: WayFacts): WayChoice {
  const { forced } = facts;
  const passedOver: PassedOver[] = [];
  for (const way of forced === undefined ? (Object.keys(whyOpen) as RegistrationWay[]) : [forced]) {
    const why = whyClosed(way, facts);
    if (why === undefined) {
      return { open: true, way, why: forced === undefined ? whyOpen[way] : `--registration ${forced}`, passedOver };
    }
    passedOver.push({ way, why });
  }
  return { open: false, why: passedOver[0]?.why ?? '' };
}

function whyClosed(way: RegistrationWay, facts: WayFacts): string | undefined {
  if (way === 'preregistered' && facts.preregistered === undefined) {
    return 'no client identifier is configured for this authorization server (--client-id)';
  }
  if (way === 'metadata') return whyNoDocument(facts);
  return way === 'dynamic' && facts.server.registrationEndpoint === undefined
    ? 'the authorization server offers no dynamic registration'
    : undefined;
}

function whyNoDocument(facts: WayFacts): string | undefined {
  const { server, metadataUrl, documentHasKey, byDevice, forced } = facts;
  if (metadataUrl === undefined) return 'no client ID metadata document is configured (--client-metadata-url)';
  if (!server.takesMetadataDocuments) return 'the authorization server does not take client ID metadata documents';
  if (byDevice && forced === undefined && server.registrationEndpoint !== undefined) {
    // It would have to list that grant, and then servers that have no such grant refuse it whole.
    return 'documents made here list no login by a code (--registration metadata tries it all the same)';
  }
  return documentHasKey && server.tokenAuthMethods?.includes('private_key_jwt') === false
    ? 'the document has a key, and the authorization server takes no private_key_jwt'
    : undefined;
}
