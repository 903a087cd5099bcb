import type { Topic } from './topic.js';

const text = `
Where a company decides who may use which server (MCP’s enterprise-managed authorization), you log in once at its provider (OpenID
Connect), and that login brings each server’s token: no tab and no consent page until the provider wants to see you again.

    postern login https://example.com/mcp --idp https://idp.example --idp-client-id DESKTOP --client-id ID --client-secret-file F --authorization-server https://as.example
    postern login https://other.example/mcp --idp https://idp.example --idp-client-id DESKTOP --client-id OTHER

The first opens the provider’s page, the second opens nothing. Later \`postern login NAME\` is enough, and \`token\`, \`call\`, \`bridge\` and
\`proxy\` go on by themselves.

## Which client is which

--idp-client-id :: the client at the provider, a native one with the redirect address http://127.0.0.1/callback
--idp-client-secret-file :: its secret, where it has one
--client-id :: the client at the server’s own authorization server, which the provider vouches for
--client-secret-file :: its secret, where it has one (or --client-secret-stdin)

Your company’s administrator has both clients. Where the provider insists on a port or path of the redirect address, add
--redirect-uri.

## What is sent where

The ID token goes to the provider alone, which exchanges it for a grant (ID-JAG, RFC 8693) that is for one client, at one authorization
server, for one server. That goes to this authorization server, where the login was made (RFC 7523), and the access token to the
server. A grant with another aud, resource, client_id, issuer or type, one that is not signed, or has ended, is not sent. Only you name
a provider: nothing that a server says does, and where a server names another authorization server later, nothing goes there.

## How long it lasts

An access token that ends is replaced by itself: with a new grant, and with a new ID token, too, where the old one has ended
(by the provider’s refresh token). Where the provider wants a person again, the command says so (exit 3) and names the login to make; a script never
opens a browser. Where the provider refuses (\`provider_refused\`), ask who runs it. Where somebody else has logged in there meanwhile,
no server is used as that person until you log in to it again.

## An ID token from elsewhere

    postern login https://example.com/mcp --idp https://idp.example --idp-client-id DESKTOP --idp-token-file /run/me/id-token --client-id ID

The file is read anew for each token and never stored, and nobody logs in at the provider: for machines where something else does.

## To see and to end them

    postern status -l
    postern logout work
    postern logout --idp https://idp.example

The first shows which login comes from which provider, and how long the login there is good. The second ends this server’s login alone:
the provider’s stays. The last one ends the provider’s login and every login that hangs on it, and revokes what can be revoked; access
tokens work until they end where their authorization server revokes none.

    postern doctor work

looks at what can be seen without you: whether the server’s authorization server lists that it takes ID-JAGs, whether the provider can
be reached and lists that it issues them, and whether you are logged in there, or what the file of --idp-token-file holds. With --login the provider is asked to vouch once more, what
it issues is looked at, and the token that comes of it is tried and revoked; nobody has to do anything.

## For administrators

The provider: a public or confidential client with the grants authorization_code, refresh_token and
urn:ietf:params:oauth:grant-type:token-exchange; PKCE S256 in its metadata; offline_access, so that nobody is asked each hour; for each
server which authorization server, which resource, and which client_id. The server’s authorization server: the grant
urn:ietf:params:oauth:grant-type:jwt-bearer, trust in the provider’s issuer and keys, and that client.

## To try it

    echo '{"client_id": "tool", "company": "desktop"}' > clients.json
    postern sandbox --port 5800 --authorization-port 5801 --clients clients.json
    postern login http://127.0.0.1:5800/mcp --idp http://127.0.0.1:5801/company --idp-client-id desktop --client-id tool

The sandbox is such a provider, too; the last line goes into another terminal. A second sandbox trusts the first one’s provider with
--company http://127.0.0.1:5801/company.
`;

export const company: Topic = {
  name: 'company',
  summary: 'one login at your company’s provider for all its servers',
  text: () => text,
};
