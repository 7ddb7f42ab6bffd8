// The metadata of the MCP endpoint as a protected resource (RFC 9728), from which clients learn where people sign in.

export const METADATA_PATH = '/.well-known/oauth-protected-resource/v1/mcp'

export const metadata = (baseUrl: string, issuer: string) => ({
  resource: baseUrl,
  authorization_servers: [issuer],
  scopes_supported: ['openid', 'profile', 'email'],
  bearer_methods_supported: ['header'],
  resource_name: 'Stoa',
})
