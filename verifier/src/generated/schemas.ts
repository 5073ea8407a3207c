// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.

/**
 * The list of recognised issuers, published at /issuers.json. It is authoritative only if the detached signature at /issuers.sig is valid for the root key.
 */
export interface IssuerRegistry {
  /**
   * The time of this list: UTC to the second, ending in Z. It never decreases.
   */
  updated_at: string;
  /**
   * Every recognised issuer, sorted by issuer_id (UTF-16 code units), without duplicate ids.
   */
  issuers: Issuer[];
}
/**
 * One recognised issuer of agent passports. An author writes it as YAML in issuers/<issuer_id>.yaml; the registry publishes it as canonical JSON at /issuers/<issuer_id>.
 */
export interface Issuer {
  /**
   * The issuer's name in the registry, equal to the name of its file without .yaml. It never changes and is never reused.
   */
  issuer_id: string;
  /**
   * How thoroughly the operator of the registry has examined the issuer. A verifier's trust policy names the accepted tiers.
   */
  tier: 'founding' | 'certified' | 'registered' | 'sandbox';
  /**
   * The URL of the public keys that verify the issuer's passports (a JSON Web Key Set, RFC 7517).
   */
  jwks_uri: string;
  /**
   * The URL of the issuer's metadata. The metadata must name the same issuer_id and jwks_uri as this record.
   */
  discovery_uri: string;
  /**
   * The URL of the issuer's policy for people, or null. Preferably https. A fragment is allowed.
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
   * Where the issuer's passports are meant to be used: ISO 3166-1 alpha-2 country codes, ISO 3166-2 subdivision codes, or global. A missing field means: not declared. An empty list means: nowhere.
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
 * The public root key of the registry as a JSON Web Key (RFC 7517), published at /keys/root.json: Ed25519 (RFC 8037) or P-256 (RFC 7518). Private members are not allowed.
 */
export interface RootJwk {
  /**
   * OKP for Ed25519, EC for P-256.
   */
  kty: 'OKP' | 'EC';
  /**
   * The curve alone determines the signature algorithm: Ed25519, or P-256 with SHA-256.
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
 * The requirements of a verifier for issuers. An issuer that is suspended, revoked or not in the registry is always rejected.
 */
export interface TrustPolicy {
  /**
   * The accepted tiers. With an empty list, only issuers in `allow` are accepted.
   */
  tiers: ('founding' | 'certified' | 'registered' | 'sandbox')[];
  /**
   * The issuer must declare at least one of these domains.
   */
  domains?: string[];
  /**
   * The issuer must declare at least one of these places, a country that contains one of them, or global.
   */
  geography?: string[];
  /**
   * The issuer must declare at least one of these types.
   */
  passport_types?: string[];
  /**
   * The issuer must have been certified for at least this number of days of 24 hours.
   */
  min_certified_days?: number;
  /**
   * The issuer's last audit must be at most this number of days of 24 hours old. An issuer without an audit is rejected.
   */
  max_audit_days?: number;
  /**
   * Issuers that do not have to meet any other requirement, each with a reason.
   */
  allow?: {
    /**
     * The issuer.
     */
    issuer_id: string;
    /**
     * The reason, for people. It is part of every decision that results from this entry.
     */
    reason: string;
  }[];
  /**
   * Issuers that are always rejected, each with a reason. `deny` takes precedence over `allow`.
   */
  deny?: {
    /**
     * The issuer.
     */
    issuer_id: string;
    /**
     * The reason, for people. It is part of every decision that results from this entry.
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
