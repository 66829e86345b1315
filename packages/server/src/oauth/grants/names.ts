/** The names of the grant types that are ours (RFC 6749 §1.3), in the order of the metadata. Nothing is loaded for them: a configuration is checked against them. */

export const OUR_GRANT_TYPES: readonly string[] = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "password",
  "urn:ietf:params:oauth:grant-type:device_code",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:saml2-bearer",
  "implicit",
];
