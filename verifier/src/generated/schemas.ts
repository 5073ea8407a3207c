// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.

/**
 * The list of recognised issuers, published at /issuers.json. Authoritative only with the detached signature at /issuers.sig, verified by the root key.
 */
export interface IssuerRegistry {
  /**
   * When this list was made: UTC to the second, ending in Z. It only grows.
   */
  updated_at: string;
  /**
   * Every recognised issuer, sorted by issuer_id (UTF-16 code units), each id once.
   */
  issuers: Issuer[];
}
/**
 * One recognised issuer of agent passports. An author writes it as YAML in issuers/<issuer_id>.yaml; the registry publishes it as canonical JSON at /issuers/<issuer_id>.
 */
export interface Issuer {
  /**
   * The issuer's name in the registry, equal to its file's name without .yaml. It never changes and is never used again.
   */
  issuer_id: string;
  /**
   * How far the registry's operator has examined the issuer. A verifier's trust policy names the tiers that it accepts.
   */
  tier: 'founding' | 'certified' | 'registered' | 'sandbox';
  /**
   * Where the issuer publishes the public keys that verify its passports (a JSON Web Key Set, RFC 7517).
   */
  jwks_uri: string;
  /**
   * Where the issuer publishes its metadata. The document there must name the same issuer_id and jwks_uri as this record.
   */
  discovery_uri: string;
  /**
   * The issuer's policy for people to read, or null. Preferably https; a fragment is allowed.
   */
  policy_uri?: string | null;
  /**
   * Verifiers reject an issuer that is suspended or revoked. Revoked is final.
   */
  status: 'active' | 'suspended' | 'revoked';
  /**
   * When the registry recognised the issuer: an RFC 3339 date-time. It never changes.
   */
  certified_since: string;
  /**
   * When the issuer was last audited: an RFC 3339 date-time, or null.
   */
  last_audit?: string | null;
  /**
   * Where the issuer's passports are meant to be used: ISO 3166-1 alpha-2 country codes, ISO 3166-2 subdivision codes, or global. Left out: not declared. An empty list: nowhere.
   */
  geographical_scope?: string[];
  /**
   * The domains of activity for which the issuer vouches: lower-case slugs or DNS names.
   */
  domain_scope?: string[];
  /**
   * The kinds of passport that the issuer mints: lower-case slugs.
   */
  passport_types?: string[];
  /**
   * An e-mail address for people who operate or examine the registry, or null.
   */
  contact?: string | null;
}

/**
 * The public root key of the registry as a JSON Web Key (RFC 7517), published at /keys/root.json: Ed25519 (RFC 8037) or P-256 (RFC 7518). There is no place for a private member.
 */
export interface RootJwk {
  /**
   * OKP for Ed25519, EC for P-256.
   */
  kty: 'OKP' | 'EC';
  /**
   * Decides the algorithm of the signature, alone: Ed25519, or P-256 with SHA-256.
   */
  crv: 'Ed25519' | 'P-256';
  /**
   * The public key (Ed25519) or its x coordinate (P-256): 32 bytes in base64url without padding.
   */
  x: string;
  /**
   * The y coordinate (P-256): 32 bytes in base64url without padding. Absent or null for Ed25519.
   */
  y?: string | null;
  /**
   * The key's RFC 7638 thumbprint (SHA-256, base64url), or null.
   */
  kid?: string | null;
}

/**
 * What a verifier demands of an issuer before it trusts it. Whatever it says, an issuer that is suspended, revoked or not in the registry is rejected.
 */
export interface TrustPolicy {
  /**
   * The tiers that are accepted. None, if only issuers that are allowed by name are to be.
   */
  tiers: ('founding' | 'certified' | 'registered' | 'sandbox')[];
  /**
   * The issuer must declare at least one of these domains.
   */
  domains?: string[];
  /**
   * The issuer must declare at least one of these places, a country that one of them lies in, or global.
   */
  geography?: string[];
  /**
   * The issuer must declare at least one of these types.
   */
  passport_types?: string[];
  /**
   * The issuer must have been certified for at least so many days of 24 hours.
   */
  min_certified_days?: number;
  /**
   * The issuer's last audit must be at most so many days of 24 hours old; without an audit it is rejected.
   */
  max_audit_days?: number;
  /**
   * Issuers that need not meet any other demand, each with the reason why.
   */
  allow?: {
    /**
     * The issuer.
     */
    issuer_id: string;
    /**
     * Why, for people: it comes back in every decision that it makes.
     */
    reason: string;
  }[];
  /**
   * Issuers that are rejected whatever else holds, each with the reason why. It wins over allow.
   */
  deny?: {
    /**
     * The issuer.
     */
    issuer_id: string;
    /**
     * Why, for people: it comes back in every decision that it makes.
     */
    reason: string;
  }[];
}

/** The tiers of an issuer, highest first. */
export const TIERS = ["founding","certified","registered","sandbox"] as const;
/** The states of an issuer. Only `active` is ever accepted. */
export const STATUSES = ["active","suspended","revoked"] as const;
/** Every field of an issuer, in the order of the schema. */
export const ISSUER_FIELDS = ["issuer_id","tier","jwks_uri","discovery_uri","policy_uri","status","certified_since","last_audit","geographical_scope","domain_scope","passport_types","contact"] as const;
/** The fields that every issuer has. */
export const REQUIRED_ISSUER_FIELDS = ["issuer_id","tier","jwks_uri","discovery_uri","status","certified_since"] as const;
/** The members of a list; each is required. */
export const LIST_MEMBERS = ["updated_at","issuers"] as const;
/** The members that every trust policy has. */
export const REQUIRED_POLICY_MEMBERS = ["tiers"] as const;
/** The types of agents. */
export const AGENT_TYPES = ["ai-assistant","autonomous-agent","human-proxy","service-agent"] as const;
/** The states of a passport. */
export const PASSPORT_STATUSES = ["active","suspended","revoked"] as const;
/** The grammar of each kind of text, as the schemas have it: what it matches, how long it may be (characters). */
export const GRAMMAR = {
  issuerId: { pattern: new RegExp("^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$", 'u'), maxLength: Number.POSITIVE_INFINITY },
  httpsUri: { pattern: new RegExp("^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$", 'u'), maxLength: 2048 },
  webUri: { pattern: new RegExp("^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$", 'u'), maxLength: 2048 },
  dateTime: { pattern: new RegExp("^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$", 'u'), maxLength: 64 },
  geographicalCode: { pattern: new RegExp("^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$", 'u'), maxLength: Number.POSITIVE_INFINITY },
  slug: { pattern: new RegExp("^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$", 'u'), maxLength: 64 },
  email: { pattern: new RegExp("^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$", 'u'), maxLength: 254 },
  utcSecond: { pattern: new RegExp("^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$", 'u'), maxLength: Number.POSITIVE_INFINITY },
  bytes32: { pattern: new RegExp("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$", 'u'), maxLength: Number.POSITIVE_INFINITY },
} as const;
