// The metadata of the tool door as a protected resource (RFC 9728), with which a client finds where people sign in.

export const METADATA_PATH = '/.well-known/oauth-protected-resource/v1/mcp'

export const metadata = (baseUrl: string, issuer: string) => ({
  resource: baseUrl,
  authorization_servers: [issuer],
  scopes_supported: ['openid', 'profile', 'email'],
  bearer_methods_supported: ['header'],
  resource_name: 'Stoa',
})
