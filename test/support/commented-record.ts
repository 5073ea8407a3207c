/** A record as people write it, in no order of fields, with comments that an edit must keep. Its issuer is gamma. */
export const COMMENTED_RECORD = `# Our first issuer.
issuer_id: gamma  # for ever
tier: certified

# Looked at every year.
status:   active    # see the minutes
jwks_uri: https://gamma.internal/jwks.json
discovery_uri: https://gamma.internal/metadata
certified_since: 2026-01-01T00:00:00Z
`;
