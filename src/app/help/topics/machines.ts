import type { Topic } from './topic.js';

const text = `
In CI nobody logs in. A job has a token in POSTERN_TOKEN, or a client of its own with a secret (\`postern help scripts\`), a key (\`postern
help clients\`) or, as on this page, its platform’s token.

Where the platform signs tokens for what runs on it (GitHub Actions, Kubernetes, SPIFFE), a machine needs no secret: its client at the
authorization server trusts that platform, by issuer and subject, and a token of it is all that is sent (RFC 7523).

    postern login https://example.com/mcp --client-credentials --client-id ID --assertion-file /run/platform/token
    postern login https://example.com/mcp --client-credentials --client-id ID --assertion-env PLATFORM_TOKEN
    postern login https://example.com/mcp --client-credentials --client-id ID --assertion-command "/usr/local/bin/print-token --short"

The login keeps where the token is found, never the token itself. The token is read anew for each access token, so \`token\`, \`call\`,
\`exec\`, \`bridge\` and \`proxy\` go on by themselves, as long as the platform does. \`postern status -l\` shows it.

## Whom it is for

The token has to name the authorization server’s issuer as its audience (\`aud\`), and nothing else; otherwise it is not sent.
So a cluster’s usual token, which opens the cluster, never leaves. Where the authorization server wants another audience, name
both that audience and the authorization server:

    postern login https://example.com/mcp --client-credentials --client-id ID --assertion-file F --assertion-audience api://exchange --authorization-server https://as.example

Expired tokens, those that are not valid yet (a minute is allowed between clocks) and unsigned ones are not sent, either.
Nothing goes to any authorization server but the one that the login was made at, whatever the server says later.

## How it is used

Where the metadata lists the grant jwt-bearer, the token is exchanged by that; else, where it lists private_key_jwt, the client
authenticates with it. --assertion-as grant, or --assertion-as client, chooses. After a refusal nothing else is tried.

## GitHub Actions

    permissions: {id-token: write}

    url="$ACTIONS_ID_TOKEN_REQUEST_URL&audience=https://as.example"
    auth="Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN"
    PLATFORM_TOKEN=$(curl -sSf -H "$auth" "$url" | jq -r .value)
    export PLATFORM_TOKEN
    postern call https://example.com/mcp add a:=5 b:=3 --client-credentials --client-id ID --assertion-env PLATFORM_TOKEN

The first line goes into the workflow, the others into a step. The variable is taken out of the environment of all that
postern starts. Such a token lives for minutes: a step that goes on for longer prints it by a command of its own
(--assertion-command).

## Kubernetes

    volumes:
    - name: as
      projected:
        sources:
        - serviceAccountToken:
            audience: https://as.example
            path: token
            expirationSeconds: 600

    postern call https://example.com/mcp add a:=5 b:=3 --client-credentials --client-id ID --assertion-file /var/run/as/token

The first part goes into the pod, mounted at /var/run/as; the kubelet replaces the token before it ends.

## SPIFFE

spiffe-helper writes JWT-SVIDs into files (\`jwt_svids\`, with \`jwt_audience\` and \`jwt_svid_file_name\`): --assertion-file names that file.

## systemd

    [Service]
    Environment=POSTERN_CLIENT_ID=ID POSTERN_ASSERTION_FILE=/run/as/token
    ExecStart=/usr/bin/postern proxy https://example.com/mcp \\
      --client-credentials --port 8321

Name the file that the platform renews: what LoadCredential copies stays as it was when the service began.

## A command

It is an absolute path and its arguments, or a JSON list of them; no shell reads it. It has 10 seconds and prints one token, 64 KiB at
most; its stderr is not read, and variables of ours (\`POSTERN_…\`) are not in its environment. It is kept in the store, like a secret,
and comes from the command line alone: no variable and no file names one.

## Variables

\`POSTERN_CLIENT_ID\`, \`POSTERN_AUTHORIZATION_SERVER\`, \`POSTERN_ASSERTION_FILE\`, \`POSTERN_ASSERTION_ENV\`, \`POSTERN_ASSERTION_AUDIENCE\` and
\`POSTERN_ASSERTION_AS\` stand for the options, where --client-credentials was given.

## To try it

    echo '{"client_id": "job", "workload": "repo:acme/app"}' > clients.json
    postern sandbox --port 5800 --authorization-port 5801 --clients clients.json
    postern call http://127.0.0.1:5800/mcp whoami --client-credentials --client-id job --assertion-command "/usr/bin/curl -sS http://127.0.0.1:5801/workload/token"

The sandbox is such a platform, too; the last line goes into another terminal.
`;

export const machines: Topic = {
  name: 'machines',
  summary: 'machines that log in by a token of their platform: GitHub Actions, Kubernetes, SPIFFE',
  text: () => text,
};
