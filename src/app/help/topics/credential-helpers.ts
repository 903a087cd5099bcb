import type { Topic } from './topic.js';

const text = `
\`postern credential FORMAT SERVER\` answers another program in that program’s own format, within 8 s (--timeout), and never asks
anybody. Where there is no valid token, and none to be had by a refresh, the output is empty, stderr has one line, and \`postern
status\` remembers it.

## Who asks, and how

Claude Code, Codex CLI :: as \`headersHelper\` or \`http_headers_helper\`: "/abs/node /abs/bin/postern.js credential headers work"; \`postern setup claude work --write\` puts it there
no arguments :: for a caller that allows none (Claude Desktop, Bazel): \`postern credential headers work --shim ~/bin/postern-work\` writes a program with all paths in it
curl :: \`postern credential header work | curl -H @- https://example.com/mcp\`, or \`postern credential curl work | curl -K - https://example.com/mcp\`
a shell :: \`eval "$(postern credential env work --var API_TOKEN)"\`; --shell fish, pwsh, dotenv, json
git :: \`git config --global credential.https://example.com.helper postern\`, with \`credential.https://example.com.useHttpPath true\`: git-credential-postern is on the PATH
kubectl :: \`exec: {apiVersion: client.authentication.k8s.io/v1, command: postern, args: [credential, kubectl, work], interactiveMode: Never}\`
Bazel :: \`postern credential bazel --shim ~/bin/postern-bazel\`, then \`--credential_helper=example.com=$HOME/bin/postern-bazel\`
go 1.24 :: \`GOAUTH='postern credential goauth'\`
cargo, pnpm :: and others that take the value of the header (Bearer …): \`CARGO_REGISTRIES_WORK_TOKEN=$(postern credential value work) cargo build\`; with exec: \`--var CARGO_REGISTRIES_WORK_TOKEN=work,value\`
Terraform :: \`postern credential terraform work --whole-host --shim ~/.terraform.d/plugins/terraform-credentials-postern\`, then \`credentials_helper "postern" {}\`
anything else :: \`postern credential token work\`

## What is given, and to whom

A token is given for the server that was logged in to, at its path and below, and for nothing else; elsewhere git, Bazel and go get
nothing, without an error. Where the login that they were told of is gone, they get an error, which \`status\` remembers. What git
reports as refused (\`erase\`) is refreshed at the next use; so is a token whose caller (\`headers\`, \`kubectl\`) asks again within 10
seconds of being given it, once a minute at most. No login is ever removed by it.
`;

export const credentialHelpers: Topic = {
  name: 'credential-helpers',
  summary: 'programs that ask postern for a credential: git, kubectl, curl, Claude Code and others',
  text: () => text,
};
