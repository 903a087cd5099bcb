import type { Topic } from './topic.js';

const text = `
An authorization server wants to know which client is asking. postern uses the first way that works: a client
that you registered, a client ID metadata document, dynamic registration; where there is none, it asks you. --registration
forces one of them.

## A client that you registered by hand

    postern login https://example.com/mcp --client-id ID --redirect-port 8765
    postern login https://example.com/mcp --client-id ID --client-secret-stdin --authorization-server https://as.example < secret.txt

A secret goes to the authorization server that you name, or where it was used before. At a terminal you may leave
--authorization-server out: you are asked. The client is kept for that authorization server, its secret in the store, and used at the next login.

## Another redirect address

    postern login https://example.com/mcp --redirect-uri http://localhost/callback
    postern login https://example.com/mcp --redirect-uri http://127.0.0.1:3118/oauth/callback

The browser comes back to http://127.0.0.1, any free port, /callback. Some authorization servers accept only the name localhost,
some only the address, some only one port or path; a login that is refused for that says what to try. The choice is kept for
that authorization server, for every login, and \`postern status -l\` shows it; http://127.0.0.1/callback ends it. Without a port, any free one is
used. With --client-id, give the address that is registered there; in the configuration it is \`redirectUri\` of a client in
\`clients\`.

## A machine logs in as itself

    postern login https://example.com/mcp --client-credentials --client-id ID --client-secret-stdin --authorization-server https://as.example < secret.txt
    postern login https://example.com/mcp --client-credentials --client-id ID --client-key-file key.pem
    postern login https://example.com/mcp --client-credentials --client-id ID --generate-key > jwks.json

No person takes part: the client has a secret, or a key (private_key_jwt, ES256 or RS256). The last line makes the key here: its
private half never leaves the store, \`jwks.json\` is registered at the authorization server, and the same line without
--generate-key then logs in. Such a login renews itself, and asks for more scope by itself, once. A token that the platform
signs can stand in for both: \`postern help machines\`.

## A client ID metadata document of your own

An authorization server that says \`client_id_metadata_document_supported: true\` accepts the address of a document as the
client identifier, and reads there who is asking. With a static site it takes five minutes:

    postern client-metadata init --url https://example.com/postern/client.json --contact you@example.com
    postern client-metadata check
    postern login https://example.com/mcp --client-metadata-url https://example.com/postern/client.json

Publish the folder \`client-metadata\` between the first line and the second, as its README.md says. A login keeps the document that
it was made with. For every login, set \`POSTERN_CLIENT_METADATA_URL\`, or \`clientMetadataUrl\` in the configuration.

\`check\` validates as a careful authorization server does: https, no redirect, 5 KiB, media type, and every rule for what stands in
the document. Each finding has its rule and its remedy; exit code 5 when a rule is broken.

With --auth private_key_jwt the client has a key: its private half is in your store, the public half in the document. \`postern
client-metadata rotate\` publishes a new one beside it; later, \`rotate --retire\` ends the overlap.

An authorization server that compares the port of the redirect address wants one of those in the document: add --redirect-port 17873
once; it is remembered for that server. With localhost it is --redirect-uri http://localhost:17873/callback.
Where other addresses have to be listed, \`init\` and \`build\` take --redirect-uri, again for more; logins take one of them by the
same option. \`postern client-metadata show SERVER\` says what a login there would send, and why.

No document can keep another program on your computer from naming it. That is why its redirect addresses are loopback alone, and why
a good consent page shows where the response goes and asks whether you started this login yourself.
`;

export const clients: Topic = {
  name: 'clients',
  summary: 'how postern names itself to an authorization server; machines that log in as themselves',
  text: () => text,
};
